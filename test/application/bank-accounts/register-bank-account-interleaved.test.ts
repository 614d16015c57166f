import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, type Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { OrderedSet } from "../../../projections/engine/read-model.ts"
import { BankAccountRow, bankAccountRows, bankAccountSets } from "../../../projections/models/bank-accounts.ts"
import { until } from "../../support/advance-clock.ts"
import { away, givenBankAccounts, idOf, serviceId } from "../given-bank-accounts.ts"
import { runs } from "../../support/runs.ts"

/** So few that almost every fault shows within a few steps. */
const numbers = ["1000000000", "2000000000", "3000000000"] as const
const accounts = [0, 1] as const

/** What happens to an append that is about to be made: its process may die before it or right after it. */
const fates = ["made", "failed", "died before", "died after"] as const
type Fate = (typeof fates)[number]

const Step = Schema.Struct({
  kind: Schema.Literals([
    ...["register", "move", "move", "move", "rename", "deactivate", "link", "unlink"] as const,
    ...["made", "made", "made", "made", "made", "made", ...fates] as const,
    ...["a minute", "a moment", "the model lags"] as const
  ]),
  account: Schema.Literals(accounts),
  number: Schema.Literals(numbers)
})
type Step = typeof Step.Type

/** Processes that all stand still before each of their appends, until it is said what becomes of it. */
const givenProcesses = Effect.gen(function* () {
  const all = yield* givenBankAccounts
  const { change, deactivate, lag, link, register, logFaults, unlink } = all
  const waiting: Array<Deferred.Deferred<Fate>> = []
  const running: Array<Fiber.Fiber<unknown, unknown>> = []
  let diesNow = false
  logFaults.before = () =>
    Effect.gen(function* () {
      const fate = yield* Deferred.make<Fate>()
      waiting.push(fate)
      const what = yield* Deferred.await(fate)
      if (what === "failed") return yield* away
      if (what === "died before") return yield* Effect.die(what)
      diesNow = what === "died after"
    })
  logFaults.after = (appended) =>
    Effect.suspend(() => {
      const dies = diesNow
      diesNow = false
      return dies ? Effect.die("died after") : Effect.succeed(appended)
    })

  const start = Effect.fnUntraced(function* <A, E>(command: Effect.Effect<A, E>) {
    running.push(yield* Effect.forkChild(Effect.exit(command), { startImmediately: true }))
  })
  const decide = (which: number, fate: Fate) => {
    const [one] = waiting.splice(which % Math.max(1, waiting.length), 1)
    return one === undefined ? Effect.void : Deferred.succeed(one, fate)
  }
  const perform = ({ account, kind, number }: Step) => {
    switch (kind) {
      case "register":
        return start(register(account, numbers[account]))
      case "move":
        return start(change(account, { bankNumber: number }))
      case "rename":
        return start(change(account, { nameEn: `SHOP ${number}` }))
      case "deactivate":
        return start(deactivate(account))
      case "link":
        return start(link(account, "siam"))
      case "unlink":
        return start(unlink(account, "siam"))
      case "a minute":
        return TestClock.adjust("1 minute")
      case "a moment":
        return TestClock.adjust("100 millis")
      case "the model lags":
        return Effect.sync(() => void (lag.known = numbers.indexOf(number) * 2))
      default:
        return decide(account, kind)
    }
  }
  const end = Effect.gen(function* () {
    yield* until(Effect.gen(function* () {
      yield* Effect.forEach(waiting.splice(0), (one) => Deferred.succeed(one, "made"))
      return running.every((fiber) => fiber.pollUnsafe() !== undefined)
    }))
    logFaults.before = () => Effect.void
    logFaults.after = Effect.succeed
    yield* TestClock.adjust("1 minute")
  })
  return { ...all, perform, end }
})

type Given = Effect.Success<typeof givenProcesses>

const decodeRow = Schema.decodeUnknownSync(BankAccountRow)

/** Where an account is, whatever the read model knows of it: it is always the same place. */
const placeOf = Effect.fnUntraced(function* ({ lag, place }: Given, n: number) {
  const { known } = lag
  const places: Array<Effect.Success<ReturnType<typeof place>>> = []
  for (const events of [1, 3, 6, 10, 15, Infinity]) {
    lag.known = events
    places.push(yield* place(n))
  }
  lag.known = known
  const [first, ...others] = places
  for (const other of others) assert.deepStrictEqual(other, first)
  return first ?? assert.fail("it is nowhere")
})

/** The digests of numbers that active accounts have: each has its own, and the read model says what the log says. */
const taken = Effect.fnUntraced(function* (given: Given) {
  const { rows, sets } = yield* given.model
  const found: Array<string> = []
  for (const n of accounts) {
    const row = rows.get(JSON.stringify([bankAccountRows.name, idOf(n)]))
    if (row === undefined) continue
    const { account, digest, isActive } = yield* placeOf(given, n)
    const { bankCode, createdAt, details, extraVerify, links, type, updatedAt } = account
    assert.deepStrictEqual(decodeRow(row.fields), {
      serviceId,
      digest,
      bankCode,
      details,
      type,
      extraVerify,
      active: isActive,
      createdAt,
      updatedAt
    })
    for (const branchId of ["silom", "siam"]) {
      const isLinked = links.some((link) => link.branchId === branchId)
      const has = ({ set }: OrderedSet) => sets.get(set)?.has(idOf(n)) ?? false
      assert.strictEqual(has(bankAccountSets.ofBranch(branchId)), isLinked)
      assert.strictEqual(has(bankAccountSets.activeOf(branchId)), isLinked && isActive)
      assert.strictEqual(has(bankAccountSets.inactiveOf(branchId)), isLinked && !isActive)
    }
    if (isActive) found.push(digest)
  }
  assert.strictEqual(new Set(found).size, found.length, "one active account has a number")
  return found
})

describe("the accounts of a service", () => {
  it.effect.prop(
    "have one number each, and each number one active account, for any interleaving of commands and crashes",
    [Schema.Array(Step).check(Schema.isMinLength(40))],
    ([steps]) =>
      Effect.gen(function* () {
        const given = yield* givenProcesses
        for (const step of steps) {
          yield* given.perform(step)
          for (let turn = 0; turn < 3; turn++) yield* Effect.yieldNow
          yield* taken(given)
        }
        yield* given.end

        // Of claims nothing is left: what no account has is to be had.
        const all = yield* taken(given)
        for (const [index, number] of numbers.entries()) {
          const digest = (yield* given.streamOfNumber(number)).split("-").at(-1) ?? ""
          const { _tag } = yield* Effect.result(given.register(100 + index, number))
          assert.strictEqual(_tag, all.includes(digest) ? "Failure" : "Success", number)
        }
      }).pipe(Effect.scoped),
    { arbitrary: { runs: runs(50), size: 100 } }
  )
})
