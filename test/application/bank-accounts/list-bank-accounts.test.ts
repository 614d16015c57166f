import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import {
  changeBankAccount,
  deactivateBankAccount,
  linkBankAccount,
  unlinkBankAccount
} from "../../../application/bank-accounts/change-bank-account.ts"
import { createBranch } from "../../../application/provisioning/branches.ts"
import { bankAccountsModel } from "../../../projections/models/bank-accounts.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { BankAccounts } from "../../../application/bank-accounts/list-bank-accounts.ts"
import { idOf, numberOf, registrar } from "../given-bank-accounts.ts"
import { live, newService, operation } from "../given-application.ts"

const by = (branchId: string) => ({ ...operation, actor: { kind: "branch", id: branchId } as const })

/** A service with two branches; account `n` has the number `n`. */
const given = Effect.gen(function* () {
  const { id: serviceId, mainBranch: { id: main } } = yield* newService()
  const { id: sub } = yield* createBranch({ serviceId, name: "Siam", settings: {} }, operation)
  const register = registrar(serviceId, main)
  const accounts = yield* BankAccounts
  return {
    serviceId,
    main,
    sub,
    register,
    accounts,
    active: (branchId: string) =>
      Effect.map(accounts.activeOf(branchId), (all) => all.map(({ bankNumber }) => bankNumber))
  }
})

describe("the bank accounts of a branch", () => {
  live("are the active accounts that are linked to it, in the order of linking", function* () {
    const { accounts, active, main, register, sub } = yield* given
    assert.deepStrictEqual(yield* active(main), [])
    const first = yield* register(1)
    yield* register(2, sub)
    yield* register(3)
    assert.deepStrictEqual(yield* accounts.activeOf(main), [first, yield* register(3)])
    yield* linkBankAccount(idOf(2), main, operation)
    yield* linkBankAccount(idOf(1), sub, operation)
    assert.deepStrictEqual(yield* active(main), [numberOf(1), numberOf(3), numberOf(2)])
    assert.deepStrictEqual(yield* active(sub), [numberOf(2), numberOf(1)])

    yield* deactivateBankAccount(idOf(1), by(main))
    yield* unlinkBankAccount(idOf(2), sub, operation)
    assert.deepStrictEqual(yield* active(main), [numberOf(3), numberOf(2)])
    assert.deepStrictEqual(yield* active(sub), [])
  })

  live("have the fields of their last change", function* () {
    const { accounts, main, register } = yield* given
    yield* register(1)
    yield* accounts.activeOf(main)
    const renamed = yield* changeBankAccount(idOf(1), { nameTh: "ร้านอื่น" }, by(main))
    assert.deepStrictEqual(yield* accounts.activeOf(main), [renamed])
    const moved = yield* changeBankAccount(idOf(1), { bankCode: "002", extraVerify: "NAME" }, by(main))
    assert.deepStrictEqual(yield* accounts.activeOf(main), [moved])
    assert.deepInclude(moved, { bankCode: "002", extraVerify: "NAME", nameTh: "ร้านอื่น" })
  })

  live("are listed in pages, and the accounts of the service are listed with their branches", function* () {
    const { accounts, main, register, serviceId, sub } = yield* given
    for (const n of [1, 2, 3]) yield* register(n)
    yield* linkBankAccount(idOf(2), sub, operation)
    const first = yield* accounts.ofService({ serviceId, cursor: undefined, limit: 2 })
    assert.deepStrictEqual(first.items.map(({ branchIds, id }) => [id, branchIds]), [
      [idOf(1), [main]],
      [idOf(2), [main, sub]]
    ])
    const second = yield* accounts.ofService({ serviceId, cursor: first.nextCursor ?? undefined, limit: 2 })
    assert.deepStrictEqual([second.items.map(({ id }) => id), second.nextCursor], [[idOf(3)], null])

    const query = { branchId: main, isActive: undefined, limit: 2 }
    const { items, nextCursor } = yield* accounts.ofBranch({ ...query, cursor: undefined })
    const withLinks = yield* accounts.ofBranchWithLinks({ ...query, cursor: undefined })
    assert.deepStrictEqual(withLinks, { items: first.items, nextCursor })
    assert.deepStrictEqual(items.map(({ id }) => id), [idOf(1), idOf(2)])
    assert.lengthOf((yield* accounts.ofBranch({ ...query, cursor: nextCursor ?? undefined })).items, 1)
  })

  live("can't be read while the read model is lost", function* () {
    const { accounts, main, register } = yield* given
    yield* register(1)
    const head = yield* (yield* EventStore).head
    const { commit, prepare } = head
    yield* (yield* ReadModels).clear(modelName(bankAccountsModel), { commit: commit + 1n, prepare: prepare + 1n })
    assert.deepInclude(yield* Effect.flip(accounts.activeOf(main)), { _tag: "ReadModelsError", reason: "behind" })
  })
})
