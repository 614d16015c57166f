import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, type Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { OrderedSet } from "../../../projections/engine/read-model.ts"
import { BankAccountRow, bankAccountRows, bankAccountSets } from "../../../projections/models/bank-accounts.ts"
import { until } from "../../support/advance-clock.ts"
import { appendFails, givenBankAccounts, idOf, serviceId } from "../given-bank-accounts.ts"
import { runs } from "../../support/runs.ts"

/** With so few numbers, almost every fault appears within a few steps. */
const numbers = ["1000000000", "2000000000", "3000000000"] as const
const accounts = [0, 1] as const

/** The outcome of an append: its process may die before it or right after it. */
const fates = ["made", "failed", "died before", "died after"] as const
type Fate = (typeof fates)[number]

const Step = Schema.Struct({
  kind: Schema.Literals([
    ...["register", "move", "move", "operator moves", "rename", "deactivate", "link", "unlink"] as const,
    ...["made", "made", "made", "made", "made", "made", ...fates] as const,
    ...["a minute", "a moment", "the model lags"] as const
  ]),
  account: Schema.Literals(accounts),
  number: Schema.Literals(numbers)
})
type Step = typeof Step.Type

/** Processes that pause before each append until the test chooses its outcome. */
const givenProcesses = Effect.gen(function* () {
  const all = yield* givenBankAccounts
  const { change, changeAny, deactivate, lag, link, register, logFaults, unlink } = all
  const waiting: Array<Deferred.Deferred<Fate>> = []
  const running: Array<Fiber.Fiber<unknown, unknown>> = []
  let diesNow = false
  logFaults.before = () =>
    Effect.gen(function* () {
      const fate = yield* Deferred.make<Fate>()
      waiting.push(fate)
      const chosen = yield* Deferred.await(fate)
      if (chosen === "failed") return yield* appendFails
      if (chosen === "died before") return yield* Effect.die(chosen)
      diesNow = chosen === "died after"
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
  const decide = (index: number, fate: Fate) => {
    const [append] = waiting.splice(index % Math.max(1, waiting.length), 1)
    return append === undefined ? Effect.void : Deferred.succeed(append, fate)
  }
  const perform = ({ account, kind, number }: Step) => {
    switch (kind) {
      case "register":
        return start(register(account, numbers[account]))
      case "move":
        return start(change(account, { bankNumber: number }))
      case "operator moves":
        return start(changeAny(account, { bankNumber: number }))
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
      yield* Effect.forEach(waiting.splice(0), (append) => Deferred.succeed(append, "made"))
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

/** The location of an account. It must be the same however far behind the read model is. */
const locationOf = Effect.fnUntraced(function* ({ lag, locate }: Given, n: number) {
  const { known } = lag
  const locations: Array<Effect.Success<ReturnType<typeof locate>>> = []
  for (const events of [1, 3, 6, 10, 15, Infinity]) {
    lag.known = events
    locations.push(yield* locate(n))
  }
  lag.known = known
  const [first, ...others] = locations
  for (const other of others) assert.deepStrictEqual(other, first)
  return first ?? assert.fail("the account has no location")
})

/** The digests of the numbers of active accounts. Each number is in use once, and the read model agrees with the log. */
const numbersInUse = Effect.fnUntraced(function* (given: Given) {
  const { rows, sets } = yield* given.model
  const found: Array<string> = []
  for (const n of accounts) {
    const row = rows.get(JSON.stringify([bankAccountRows.name, idOf(n)]))
    if (row === undefined) continue
    const { account, digest, isActive } = yield* locationOf(given, n)
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
  assert.strictEqual(new Set(found).size, found.length, "a number has one active account")
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
          yield* numbersInUse(given)
        }
        yield* given.end

        // No claim is left: a number without an account can be registered.
        const all = yield* numbersInUse(given)
        for (const [index, number] of numbers.entries()) {
          const digest = (yield* given.streamOfNumber(number)).split("-").at(-1) ?? ""
          const { _tag } = yield* Effect.result(given.register(100 + index, number))
          assert.strictEqual(_tag, all.includes(digest) ? "Failure" : "Success", number)
        }
      }).pipe(Effect.scoped),
    { arbitrary: { runs: runs(50), size: 100 } }
  )
})
