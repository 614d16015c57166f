import { assert, describe, it } from "@effect/vitest"
import {
  type BankAccountRow,
  bankAccountRows,
  bankAccountSets,
  bankAccountsProjection
} from "../../../projections/models/bank-accounts.ts"
import type { RecordedEvent } from "../../../domain/events/recorded-event.ts"
import type { BankAccountEvent, BankAccountRegistered } from "../../../domain/bank-account/bank-account.ts"
import { bankAccountEvent as recorded, projected } from "../given-events.ts"

const begun = "2026-11-21T08:45:00.000Z"
const later = "2026-11-21T09:00:00.000Z"
const ended = "2026-11-21T10:00:00.000Z"
const details = { k: "master", n: "bm9uY2U=", c: "Zmlyc3Q=" }
const newDetails = { k: "master", n: "b3RoZXI=", c: "c2Vjb25k" }
const content = { details: newDetails, type: "JURISTIC", extraVerify: "NAME" } as const

const registered: BankAccountRegistered = {
  _tag: "BankAccountRegistered",
  accountId: "a-1",
  at: begun,
  serviceId: "s-1",
  branchId: "silom",
  bankCode: "004",
  details,
  type: null,
  extraVerify: null,
  movedFrom: null
}
const linked: BankAccountEvent = { _tag: "BankAccountLinked", accountId: "a-1", at: later, branchId: "siam" }
const claimed: BankAccountEvent = {
  ...registered,
  at: later,
  details: newDetails,
  movedFrom: { digest: "d1", revision: 0, createdAt: begun, links: [{ branchId: "silom", at: begun }] }
}
const moved: BankAccountEvent = {
  _tag: "BankAccountMoved",
  accountId: "a-1",
  at: later,
  toDigest: "d2",
  toRevision: 0,
  bankCode: "002",
  ...content
}
const deactivated: BankAccountEvent = {
  _tag: "BankAccountDeactivated",
  accountId: "a-1",
  at: ended,
  reason: "deactivated",
  branchIds: ["silom", "siam"]
}

const given = (...events: ReadonlyArray<BankAccountEvent | RecordedEvent>) =>
  projected(bankAccountsProjection, ...events.map((event) => "_tag" in event ? recorded(event) : event))

const rowAfter = (...events: ReadonlyArray<BankAccountEvent | RecordedEvent>) =>
  given(...events).row(bankAccountRows, "a-1")

const row: BankAccountRow = {
  serviceId: "s-1",
  digest: "d1",
  bankCode: "004",
  details,
  type: null,
  extraVerify: null,
  active: true,
  createdAt: begun,
  updatedAt: begun
}
const at = (time: string) => ({ "a-1": Date.parse(time) })

describe("the bank accounts", () => {
  it("are active when they are registered, and listed for their service and branch", () => {
    const { members, sets } = given(registered)
    assert.deepStrictEqual(rowAfter(registered), row)
    assert.deepStrictEqual(members(bankAccountSets.ofService("s-1")), at(begun))
    assert.deepStrictEqual(members(bankAccountSets.ofBranch("silom")), at(begun))
    assert.deepStrictEqual(members(bankAccountSets.activeOf("silom")), at(begun))
    assert.deepStrictEqual(members(bankAccountSets.branchesOf("a-1")), { silom: Date.parse(begun) })
    assert.deepStrictEqual(sets, ["branch:silom", "branch:silom:active", "branches:a-1", "service:s-1"])
  })

  it("keep their other fields when they are changed", () => {
    const changed: BankAccountEvent = { _tag: "BankAccountChanged", accountId: "a-1", at: later, ...content }
    assert.deepStrictEqual(rowAfter(registered, changed), { ...row, ...content, updatedAt: later })
  })

  it("are listed for each branch while it is linked to them", () => {
    const { members } = given(registered, linked)
    assert.deepStrictEqual(members(bankAccountSets.activeOf("siam")), at(later))
    assert.deepStrictEqual(members(bankAccountSets.branchesOf("a-1")), {
      silom: Date.parse(begun),
      siam: Date.parse(later)
    })
    const unlinked: BankAccountEvent = { _tag: "BankAccountUnlinked", accountId: "a-1", at: ended, branchId: "silom" }
    assert.deepStrictEqual(given(registered, linked, unlinked).sets, [
      "branch:siam",
      "branch:siam:active",
      "branches:a-1",
      "service:s-1"
    ])
    assert.deepStrictEqual(rowAfter(registered, linked, unlinked), row)
  })

  it("do not change when another number is claimed", () => {
    const abandoned: BankAccountEvent = { ...deactivated, reason: "move-abandoned", branchIds: [] }
    const refused: BankAccountEvent = {
      _tag: "BankAccountMoveRefused",
      accountId: "a-1",
      at: later,
      toDigest: "d2"
    }
    for (const events of [[], [refused], [refused, recorded(abandoned, "d2")]]) {
      assert.deepStrictEqual(rowAfter(registered, recorded(claimed, "d2"), ...events), row)
      assert.deepStrictEqual(given(registered, recorded(claimed, "d2"), ...events).sets, given(registered).sets)
    }
  })

  it("have a new location after a move, and keep all their fields", () => {
    const events = [registered, linked, recorded(claimed, "d2"), moved]
    assert.deepStrictEqual(rowAfter(...events), {
      ...row,
      ...content,
      digest: "d2",
      bankCode: "002",
      updatedAt: later
    })
    assert.deepStrictEqual(given(...events).sets, given(registered, linked).sets)
    const end = recorded(deactivated, "d2")
    assert.deepInclude(rowAfter(...events, end), { digest: "d2", active: false, updatedAt: ended })
  })

  it("are still listed for their branches after deactivation, ordered by its time", () => {
    const { members, sets } = given(registered, linked, deactivated)
    assert.deepStrictEqual(rowAfter(registered, linked, deactivated), { ...row, active: false, updatedAt: ended })
    assert.deepStrictEqual(members(bankAccountSets.ofBranch("siam")), at(later))
    assert.deepStrictEqual(members(bankAccountSets.inactiveOf("siam")), at(ended))
    assert.deepStrictEqual(members(bankAccountSets.inactiveOf("silom")), at(ended))
    assert.notIncludeMembers([...sets], ["branch:silom:active", "branch:siam:active"])
  })

  it("do not affect each other", () => {
    const { members } = given(registered, recorded({ ...registered, accountId: "a-2", at: later }, "d2"), deactivated)
    assert.deepStrictEqual(members(bankAccountSets.activeOf("silom")), { "a-2": Date.parse(later) })
    assert.deepStrictEqual(members(bankAccountSets.ofBranch("silom")), { ...at(begun), "a-2": Date.parse(later) })
  })
})
