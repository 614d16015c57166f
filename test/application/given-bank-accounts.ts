import { Effect, Fiber, Layer } from "effect"
import { streamOf } from "../../domain/events/aggregates.ts"
import {
  changeAnyBankAccount,
  changeBankAccount,
  deactivateAnyBankAccount,
  deactivateBankAccount,
  linkBankAccount,
  unlinkBankAccount
} from "../../application/bank-accounts/change-bank-account.ts"
import {
  type NewBankAccount,
  recallRegistration,
  registerBankAccount
} from "../../application/bank-accounts/register-bank-account.ts"
import { numberDigest } from "../../application/sealing/sealed-data.ts"
import { beginning } from "../../domain/events/recorded-event.ts"
import { EventStore, EventStoreError } from "../../ports/event-store.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { anyBankAccount, bankAccount, locateAccount } from "../../application/bank-accounts/locate-account.ts"
import { Directory } from "../../application/provisioning/directory.ts"
import type { BankAccountChange } from "../../domain/bank-account/fields.ts"
import { bankAccountsProjection } from "../../projections/models/bank-accounts.ts"
import { naiveModel } from "../support/naive-model.ts"
import { layerFaultyEventStore, type LogFaults, noFaults } from "../support/faulty-event-store.ts"
import { untilDone } from "../support/advance-clock.ts"
import { layerKeys } from "../support/ports.ts"
import { accountFields, branchView } from "../support/views.ts"

export const operation = { actor: { kind: "admin", id: "api" }, correlationId: "request-1" } as const
const by = (branchId: string) => ({ ...operation, actor: { kind: "branch", id: branchId } as const })
export const serviceId = "s-1"
export const appendFails = Effect.fail(new EventStoreError({ operation: "append", reason: "unavailable" }))

/** The id of account `n`. */
export const idOf = (n: number): string => `0f8fad5b-d9cb-4f69-a165-${String(n).padStart(12, "0")}`

/** The number of account `n` of `registrar`. */
export const numberOf = (n: number): string => String(1_000_000_000 + n)

/** Registers account `n` of a service, linked to its main branch unless another is named. */
export const registrar = (serviceId: string, main: string) => (n: number, branchId = main) =>
  registerBankAccount(
    { accountId: idOf(n), serviceId, branchId, fields: { ...accountFields, bankNumber: numberOf(n) } },
    operation
  )

/** Runs an effect while the test clock advances. A command that lost a race waits before it reads again. */
export const whileClockAdvances = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkChild(effect)
  yield* untilDone(fiber)
  return yield* Fiber.join(fiber)
})

const projected = Effect.fnUntraced(function* (first = Infinity) {
  const events = yield* (yield* EventStore).readAll({ after: beginning, limit: first })
  return naiveModel(events.flatMap((event) => bankAccountsProjection.when(event)))
})

/** The number of events that the read model has applied until a caller awaits a position. */
interface Lag {
  known: number
}

/** Read models that are computed from the log at each read: from its first events while they lag, else from all. */
const layerModels = (lag: Lag) =>
  Layer.effect(
    ReadModels,
    Effect.gen(function* () {
      const store = yield* EventStore
      const projectedNow = Effect.suspend(() =>
        Effect.orDie(Effect.provideService(projected(lag.known), EventStore, store))
      )
      const models = Layer.mock(ReadModels, {
        get: (_, table, key) => Effect.map(projectedNow, ({ rows }) => rows.get(JSON.stringify([table, key]))?.fields),
        has: (_, members) =>
          Effect.map(projectedNow, ({ sets }) => members.map(({ member, set }) => sets.get(set)?.has(member) === true)),
        count: (_, set) => Effect.map(projectedNow, ({ sets }) => sets.get(set)?.size ?? 0),
        awaitComplete: () => Effect.void,
        awaitPosition: () => Effect.sync(() => void (lag.known = Infinity))
      })
      return yield* Effect.provide(ReadModels, models)
    })
  )

const layerBranches = Layer.mock(Directory, {
  branch: (id) => Effect.succeed(branchView({ id, serviceId: id === "abroad" ? "s-2" : serviceId }))
})

/**
 * The commands of bank accounts over a log in memory with the given faults. They share nothing else, as if
 * each ran in its own process. `idOf` gives the id of an account by its number; branches are `silom` unless named.
 */
export const givenBankAccounts = Effect.gen(function* () {
  const logFaults: LogFaults = noFaults()
  const lag: Lag = { known: Infinity }
  const ports = yield* Layer.build(
    Layer.mergeAll(layerModels(lag), layerBranches).pipe(Layer.provideMerge(Layer.mergeAll(
      layerFaultyEventStore(logFaults),
      layerKeys
    )))
  )
  const newAccount = (n: number, bankNumber: string, branchId = "silom"): NewBankAccount => ({
    accountId: idOf(n),
    serviceId,
    branchId,
    fields: { ...accountFields, bankNumber }
  })

  return {
    logFaults,
    lag,
    register: (n: number, bankNumber: string, branchId = "silom") =>
      Effect.provide(registerBankAccount(newAccount(n, bankNumber, branchId), by(branchId)), ports),
    recall: (n: number, bankNumber: string) => Effect.provide(recallRegistration(newAccount(n, bankNumber)), ports),
    change: (n: number, change: BankAccountChange, branchId = "silom") =>
      Effect.provide(changeBankAccount(idOf(n), change, by(branchId)), ports),
    changeAny: (n: number, change: BankAccountChange) =>
      Effect.provide(changeAnyBankAccount(idOf(n), change, operation), ports),
    deactivate: (n: number, branchId = "silom") => Effect.provide(deactivateBankAccount(idOf(n), by(branchId)), ports),
    deactivateAny: (n: number) => Effect.provide(deactivateAnyBankAccount(idOf(n), operation), ports),
    link: (n: number, branchId: string) => Effect.provide(linkBankAccount(idOf(n), branchId, operation), ports),
    unlink: (n: number, branchId: string) => Effect.provide(unlinkBankAccount(idOf(n), branchId, operation), ports),
    /** An account as its branch sees it. */
    getAccount: (n: number, branchId = "silom") => Effect.provide(bankAccount(idOf(n), branchId), ports),
    /** An account as an operator sees it. */
    getAny: (n: number) => Effect.provide(anyBankAccount(idOf(n)), ports),
    /** The location of an account of any service. */
    locate: (n: number) => Effect.provide(locateAccount(idOf(n)), ports),
    streamOfNumber: (bankNumber: string) =>
      Effect.map(
        Effect.provide(numberDigest({ ...accountFields, bankNumber }), ports),
        (digest) => streamOf.bankAccount(serviceId, digest)
      ),
    /** All events of the log, oldest first. */
    events: Effect.provide(EventStore.use((store) => store.readAll({ after: beginning, limit: 1_000_000 })), ports),
    /** The read model of the whole log. */
    model: Effect.provide(projected(), ports)
  }
})
