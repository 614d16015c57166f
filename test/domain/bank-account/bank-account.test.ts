import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, HashMap, Schema } from "effect"
import {
  bankAccount,
  type BankAccountCommand,
  BankAccountEvent,
  type BankAccountRegistered,
  formerOf,
  heldBy
} from "../../../domain/bank-account/bank-account.ts"
import { isLinked, ownerOf } from "../../../domain/bank-account/links.ts"
import { fold } from "../../../domain/decider.ts"
import { given } from "../../support/decider-spec.ts"
import { itObeysTheLaws } from "../decider-laws.ts"

const at = "2026-11-21T08:45:00.000Z"
const later = "2026-11-21T09:00:00.000Z"
const details = { k: "master", n: "bm9uY2U=", c: "Zmlyc3Q=" }
const newDetails = { k: "master", n: "b3RoZXI=", c: "c2Vjb25k" }

const silom = { kind: "branch", id: "silom" } as const
const account = {
  accountId: "a-1",
  serviceId: "s-1",
  branchId: "silom",
  bankCode: "004",
  details,
  type: null,
  extraVerify: null,
  at,
  movedFrom: null
} as const
const other = { ...account, accountId: "a-2", branchId: "siam" }
const registered: BankAccountRegistered = { _tag: "BankAccountRegistered", ...account }

const origin = { digest: "d-old", revision: 4 }
const movedFields = { createdAt: at, links: [{ branchId: "silom", at }, { branchId: "siam", at: later }] }
const movingIn = { ...account, at: later, movedFrom: { ...origin, ...movedFields } }
const claimed: BankAccountRegistered = { _tag: "BankAccountRegistered", ...movingIn }

const content = { details: newDetails, type: "JURISTIC", extraVerify: null } as const
const destination = { toDigest: "d-new", toRevision: 3, bankCode: "014", ...content }
const about = { accountId: "a-1", at: later }

const deactivated = (branchIds: ReadonlyArray<string> = ["silom"]): BankAccountEvent => ({
  _tag: "BankAccountDeactivated",
  ...about,
  reason: "deactivated",
  branchIds
})
const abandoned: BankAccountEvent = {
  _tag: "BankAccountDeactivated",
  ...about,
  reason: "move-abandoned",
  branchIds: []
}
const moved: BankAccountEvent = { _tag: "BankAccountMoved", ...about, ...destination }
const changed: BankAccountEvent = { _tag: "BankAccountChanged", ...about, ...content }
const linked: BankAccountEvent = { _tag: "BankAccountLinked", ...about, branchId: "siam" }
const refused: BankAccountEvent = { _tag: "BankAccountMoveRefused", ...about, toDigest: "d-new" }

describe("a free number", () => {
  it("is taken by a registration, which links the account to its branch", () => {
    given(bankAccount).when({ _tag: "RegisterBankAccount", ...account }).then(registered)
    const { holder } = fold(bankAccount, [registered])
    assert.deepInclude(holder, { accountId: "a-1", createdAt: at, updatedAt: at, links: [{ branchId: "silom", at }] })
  })

  it("is free again after the account was deactivated or moved", () => {
    for (const end of [deactivated(), moved]) {
      given(bankAccount, registered, end).when({ _tag: "RegisterBankAccount", ...other })
        .then({ ...registered, ...other })
    }
  })

  it("is taken by a move, with the links and the registration time of the account", () => {
    given(bankAccount).when({ _tag: "RegisterBankAccount", ...movingIn }).then(claimed)
    const { holder } = fold(bankAccount, [claimed])
    assert.deepInclude(holder, { ...movedFields, updatedAt: later, revision: 0, movedFrom: origin })
  })
})

describe("a number of an account", () => {
  it("is not available to another account", () => {
    given(bankAccount, registered).when({ _tag: "RegisterBankAccount", ...other }).thenRejected("BankAccountDuplicate")
    given(bankAccount, registered).when({ _tag: "RegisterBankAccount", ...movingIn, accountId: "a-2" })
      .thenRejected("BankAccountDuplicate")
  })

  it("is returned with a claim on it", () => {
    given(bankAccount, claimed).when({ _tag: "RegisterBankAccount", ...other }).thenRejected("BankAccountDuplicate")
    const decided = bankAccount.decide({ _tag: "RegisterBankAccount", ...other }, fold(bankAccount, [claimed]))
    assert.deepInclude(decided, { _tag: "Failure" })
    if (decided._tag === "Failure") {
      assert.deepInclude(decided.failure, { accountId: "a-1", movedFrom: origin, revision: 0, at: later })
    }
  })

  it("is not registered twice for the same account", () => {
    const again: BankAccountCommand = { _tag: "RegisterBankAccount", ...account, at: later }
    given(bankAccount, registered).when(again).thenNothing()
    given(bankAccount, registered, changed).when(again).thenNothing()
    given(bankAccount, registered, deactivated()).when(again).thenNothing()
    given(bankAccount, registered, moved, { ...registered, ...other }).when(again).thenNothing()
  })

  it("is claimed once by a move, and by another move after its release", () => {
    given(bankAccount, claimed).when({ _tag: "RegisterBankAccount", ...movingIn, details: newDetails }).thenNothing()
    const next = { ...movingIn, movedFrom: { ...movingIn.movedFrom, revision: 6 } }
    given(bankAccount, claimed).when({ _tag: "RegisterBankAccount", ...next }).thenRejected("BankAccountDuplicate")
    given(bankAccount, claimed, abandoned).when({ _tag: "RegisterBankAccount", ...next })
      .then({ ...claimed, ...next })
  })
})

describe("an account", () => {
  const atRevision = (revision: number) => ({ ...about, expectedRevision: revision })

  it("appends a change only when a field differs", () => {
    const change = { _tag: "ChangeBankAccount", by: silom, ...atRevision(0), ...content } as const
    given(bankAccount, registered).when(change).then(changed)
    given(bankAccount, registered, changed).when({ ...change, expectedRevision: 1 }).thenNothing()
    given(bankAccount, registered).when({ ...change, details, type: null }).thenNothing()
    given(bankAccount, registered).when({ ...change, details, type: null, extraVerify: "NAME" })
      .then({ ...changed, details, type: null, extraVerify: "NAME" })
    assert.deepInclude(fold(bankAccount, [registered, changed]).holder, { ...content, createdAt: at, updatedAt: later })
  })

  it("is linked to other branches and unlinked from them", () => {
    const link = { _tag: "LinkBankAccount", ...atRevision(0), branchId: "siam" } as const
    given(bankAccount, registered).when(link).then(linked)
    given(bankAccount, registered, linked).when({ ...link, expectedRevision: 1 }).thenNothing()
    const unlink = { _tag: "UnlinkBankAccount", ...atRevision(1), branchId: "silom" } as const
    const unlinked: BankAccountEvent = { _tag: "BankAccountUnlinked", ...about, branchId: "silom" }
    given(bankAccount, registered, linked).when(unlink).then(unlinked)
    given(bankAccount, registered, linked, unlinked).when({ ...unlink, expectedRevision: 2 }).thenNothing()

    const { holder } = fold(bankAccount, [registered, linked, unlinked])
    assert.deepStrictEqual(holder?.links, [{ branchId: "siam", at: later }])
    assert.isTrue(holder !== null && isLinked(holder, "siam") && !isLinked(holder, "silom"))
  })

  it("is changed, moved and deactivated by its owner and by operators alone", () => {
    const commands = [
      { _tag: "ChangeBankAccount", ...atRevision(1), ...content },
      { _tag: "MoveBankAccount", ...atRevision(1), ...destination },
      { _tag: "DeactivateBankAccount", ...atRevision(1) }
    ] as const
    const others = [
      { kind: "branch", id: "siam" },
      { kind: "branch", id: "" },
      { kind: "system", id: "silom" }
    ] as const
    for (const command of commands) {
      for (const by of others) {
        given(bankAccount, registered, linked).when({ ...command, by }).thenRejected("BankAccountNotOwned")
      }
    }
    const [change, move, deactivate] = commands
    for (const by of [silom, { kind: "admin", id: "api" }] as const) {
      given(bankAccount, registered, linked).when({ ...change, by }).then(changed)
      given(bankAccount, registered, linked).when({ ...move, by }).then(moved)
      given(bankAccount, registered, linked).when({ ...deactivate, by }).then(deactivated(["silom", "siam"]))
    }
  })

  it("without a link is changed by operators alone", () => {
    const unlinked: BankAccountEvent = { _tag: "BankAccountUnlinked", ...about, branchId: "silom" }
    const change = { _tag: "ChangeBankAccount", ...atRevision(1), ...content } as const
    given(bankAccount, registered, unlinked).when({ ...change, by: silom }).thenRejected("BankAccountNotOwned")
    given(bankAccount, registered, unlinked).when({ ...change, by: { kind: "branch", id: "" } })
      .thenRejected("BankAccountNotOwned")
    given(bankAccount, registered, unlinked).when({ ...change, by: { kind: "admin", id: "console" } }).then(changed)
  })

  it("is owned by the branch that registered it, and by the next linked branch after that one was unlinked", () => {
    const ownerAfter = (...events: ReadonlyArray<BankAccountEvent>) => {
      const { holder } = fold(bankAccount, events)
      return holder === null ? assert.fail("no account") : ownerOf(holder)
    }
    const unlink = (branchId: string): BankAccountEvent => ({ _tag: "BankAccountUnlinked", ...about, branchId })
    assert.strictEqual(ownerAfter(registered, linked), "silom")
    assert.strictEqual(
      ownerAfter({ ...claimed, branchId: "siam" }),
      "silom",
      "a move of an older log, by another branch"
    )
    assert.strictEqual(ownerAfter(registered, linked, unlink("silom")), "siam")
    assert.strictEqual(
      ownerAfter(registered, linked, unlink("silom"), { ...linked, branchId: "silom" }),
      "siam",
      "a branch that is linked again comes last"
    )
    assert.isUndefined(ownerAfter(registered, unlink("silom")))
  })

  it("is deactivated once, with the branches that it was linked to", () => {
    const deactivate = { _tag: "DeactivateBankAccount", by: silom, ...atRevision(1) } as const
    given(bankAccount, registered, linked).when(deactivate).then(deactivated(["silom", "siam"]))
    given(bankAccount, registered, deactivated()).when({ ...deactivate, expectedRevision: 7 }).thenNothing()
    const state = fold(bankAccount, [registered, deactivated()])
    assert.isNull(state.holder)
    assert.deepInclude(formerOf(state, "a-1"), { _tag: "Deactivated" })
  })

  it("accepts no other command after it was deactivated", () => {
    const whenDeactivated = given(bankAccount, registered, deactivated())
    whenDeactivated.when({ _tag: "ChangeBankAccount", by: silom, ...atRevision(1), ...content }).thenRejected(
      "BankAccountNotFound"
    )
    whenDeactivated.when({ _tag: "LinkBankAccount", ...atRevision(1), branchId: "siam" }).thenRejected(
      "BankAccountNotFound"
    )
    whenDeactivated.when({ _tag: "UnlinkBankAccount", ...atRevision(1), branchId: "silom" }).thenRejected(
      "BankAccountNotFound"
    )
    whenDeactivated.when({ _tag: "MoveBankAccount", by: silom, ...atRevision(1), ...destination }).thenRejected(
      "BankAccountNotFound"
    )
    whenDeactivated.when({ _tag: "RefuseMove", ...atRevision(1), toDigest: "d-new" }).thenRejected(
      "BankAccountNotFound"
    )
  })

  it.each<BankAccountCommand>([
    { _tag: "ChangeBankAccount", by: silom, ...about, expectedRevision: 0, ...content },
    { _tag: "LinkBankAccount", ...about, expectedRevision: 0, branchId: "siam" },
    { _tag: "UnlinkBankAccount", ...about, expectedRevision: 0, branchId: "silom" },
    { _tag: "DeactivateBankAccount", by: silom, ...about, expectedRevision: 0 },
    { _tag: "MoveBankAccount", by: silom, ...about, expectedRevision: 0, ...destination }
  ])("rejects a $_tag that was decided at an older revision, or for an account that was never there", (command) => {
    given(bankAccount, registered, refused).when(command).thenRejected("BankAccountStale")
    given(bankAccount, { ...registered, ...other }).when(command).thenRejected("BankAccountNotFound")
    given(bankAccount).when(command).thenRejected("BankAccountNotFound")
  })
})

describe("an account that moves", () => {
  const move = { _tag: "MoveBankAccount", by: silom, ...about, expectedRevision: 0, ...destination } as const
  const refuse = { _tag: "RefuseMove", ...about, expectedRevision: 0, toDigest: "d-new" } as const

  it("leaves its number at exactly the revision of the decision", () => {
    given(bankAccount, registered).when(move).then(moved)
    given(bankAccount, registered, moved).when(move).thenNothing()
    given(bankAccount, registered, moved, { ...registered, ...other }).when(move).thenNothing()
    given(bankAccount, registered, linked).when(move).thenRejected("BankAccountStale")
    given(bankAccount, registered, moved).when({ ...move, toDigest: "d-else" }).thenRejected("BankAccountStale")
    given(bankAccount, registered, moved).when({ ...move, toRevision: 5 }).thenRejected("BankAccountStale")
    const state = fold(bankAccount, [registered, moved])
    assert.isUndefined(heldBy(state, "a-1"))
    assert.deepStrictEqual(formerOf(state, "a-1"), { _tag: "Moved", toDigest: "d-new", toRevision: 3, revision: 1 })
  })

  it("is rejected as stale at its former number", () => {
    given(bankAccount, registered, moved).when({
      _tag: "DeactivateBankAccount",
      by: silom,
      ...about,
      expectedRevision: 1
    })
      .thenRejected("BankAccountStale")
  })

  it("may move back, and leave again", () => {
    const back: BankAccountRegistered = { ...claimed, movedFrom: { ...movingIn.movedFrom, digest: "d-new" } }
    given(bankAccount, registered, moved, back).when({ ...move, expectedRevision: 2, toDigest: "d-else" })
      .then({ ...moved, toDigest: "d-else" })
    given(bankAccount, registered, moved, back).when(move).thenNothing()
  })

  it("can be stopped until it has left", () => {
    given(bankAccount, registered).when(refuse).then(refused)
    given(bankAccount, registered, refused).when(refuse).thenNothing()
    given(bankAccount, registered, linked).when(refuse).thenNothing()
    given(bankAccount, registered, refused).when(move).thenRejected("BankAccountStale")
    given(bankAccount, registered, moved).when(refuse).thenRejected("BankAccountStale")
    const before = fold(bankAccount, [registered])
    assert.deepStrictEqual(fold(bankAccount, [registered, refused]), { ...before, revision: 1 })
  })

  it("releases only its own claim", () => {
    const abandon = { _tag: "AbandonMove", ...about, revision: 0 } as const
    given(bankAccount, claimed).when(abandon).then(abandoned)
    given(bankAccount, claimed, abandoned).when(abandon).thenNothing()
    given(bankAccount, claimed, abandoned, claimed).when(abandon).thenNothing()
    given(bankAccount, claimed, abandoned, claimed).when({ ...abandon, revision: 2 }).then(abandoned)
    given(bankAccount, claimed).when({ ...abandon, accountId: "a-2" }).thenNothing()
    given(bankAccount, registered).when(abandon).thenNothing()
  })

  it("has no record at a number whose claim it released", () => {
    const state = fold(bankAccount, [claimed, abandoned])
    assert.deepStrictEqual(state, { revision: 1, holder: null, former: HashMap.empty() })
  })
})

const Id = Schema.Literals(["a-1", "a-2"])
const Branch = Schema.Literals(["silom", "siam"])
const Requester = Schema.Struct({ kind: Schema.Literals(["branch", "admin"]), id: Branch })
const Digest = Schema.Literals(["d-1", "d-2"])
const Revision = Schema.Literals([-1, 0, 1, 2, 3])
const Details = Schema.Struct({ k: Schema.Literal("m"), n: Schema.Literal("n"), c: Schema.Literals(["one", "two"]) })
const Content = {
  details: Details,
  type: Schema.NullOr(Schema.Literal("PERSONAL")),
  extraVerify: Schema.NullOr(Schema.Literal("NAME"))
}
const any = { accountId: Id, at: Schema.Literals([at, later]) }
const withRevision = { ...any, expectedRevision: Revision }

const Command = Schema.TaggedUnion({
  RegisterBankAccount: {
    ...any,
    serviceId: Schema.Literal("s-1"),
    branchId: Branch,
    bankCode: Schema.Literal("004"),
    ...Content,
    movedFrom: Schema.NullOr(Schema.Struct({
      digest: Digest,
      revision: Revision,
      createdAt: Schema.Literal(at),
      links: Schema.Array(Schema.Struct({ branchId: Branch, at: Schema.Literal(at) })).check(Schema.isMaxLength(2))
    }))
  },
  ChangeBankAccount: { ...withRevision, by: Requester, ...Content },
  LinkBankAccount: { ...withRevision, branchId: Branch },
  UnlinkBankAccount: { ...withRevision, branchId: Branch },
  DeactivateBankAccount: { ...withRevision, by: Requester },
  MoveBankAccount: {
    ...withRevision,
    by: Requester,
    toDigest: Digest,
    toRevision: Revision,
    bankCode: Schema.Literal("014"),
    ...Content
  },
  RefuseMove: { ...withRevision, toDigest: Digest },
  AbandonMove: { ...any, revision: Revision }
})

describe("any number", () => {
  itObeysTheLaws(bankAccount, BankAccountEvent, Arbitrary.schema(Command))
})
