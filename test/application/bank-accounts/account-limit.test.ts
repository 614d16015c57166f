import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { MAX_ACTIVE_ACCOUNTS } from "../../../domain/bank-account/fields.ts"
import {
  changeBankAccount,
  deactivateBankAccount,
  linkBankAccount,
  unlinkBankAccount
} from "../../../application/bank-accounts/change-bank-account.ts"
import { createBranch } from "../../../application/provisioning/branches.ts"
import { live, newService, operation } from "../given-application.ts"
import { idOf, numberOf, registrar } from "../given-bank-accounts.ts"

const isFull = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag === "BankAccountsFull")

/** A branch with as many active accounts as it may have, the last of which is linked from another branch. */
const givenFullBranch = Effect.gen(function* () {
  const { id: serviceId, mainBranch: { id: main } } = yield* newService()
  const { id: sub } = yield* createBranch({ serviceId, name: "Siam", settings: {} }, operation)
  const register = registrar(serviceId, main)
  const own = Array.from({ length: MAX_ACTIVE_ACCOUNTS - 1 }, (_, index) => index + 1)
  yield* Effect.forEach(own, (n) => register(n), { concurrency: 20, discard: true })
  const linked = MAX_ACTIVE_ACCOUNTS
  yield* register(linked, sub)
  yield* linkBankAccount(idOf(linked), main, operation)
  return { by: { ...operation, actor: { kind: "branch", id: main } as const }, linked, main, register, sub }
})

describe("a branch with as many active bank accounts as it may have", () => {
  live("is refused another one, registered or linked, and another branch is not", function* () {
    const { linked, main, register, sub } = yield* givenFullBranch
    assert.isTrue(yield* isFull(register(linked + 1)))
    yield* register(linked + 1, sub)
    assert.isTrue(yield* isFull(linkBankAccount(idOf(linked + 1), main, operation)))
  })

  live("can repeat what is done, change its accounts, and give one up for another", function* () {
    const { by, linked, main, register, sub } = yield* givenFullBranch
    yield* register(linked + 1, sub)
    assert.strictEqual((yield* register(1)).id, idOf(1))
    yield* linkBankAccount(idOf(linked), main, operation)
    yield* changeBankAccount(idOf(1), { bankNumber: numberOf(900) }, by)

    yield* deactivateBankAccount(idOf(1), by)
    yield* register(linked + 2)
    assert.isTrue(yield* isFull(register(linked + 3)))
    yield* unlinkBankAccount(idOf(linked), main, operation)
    yield* linkBankAccount(idOf(linked + 1), main, operation)
    assert.isTrue(yield* isFull(register(linked + 3)))
  })
})
