import { describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { account, type AccountCommand, AccountEvent } from "../../domain/account.ts"
import { Sealed } from "../../domain/sealed.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"

const contact = { k: "master", n: "bm9uY2U=", c: "c2VhbGVk" }
const register: AccountCommand = { _tag: "RegisterAccount", accountId: "a-1", contact }
const registered: AccountEvent = { _tag: "AccountRegistered", accountId: "a-1", contact }
const verified: AccountEvent = { _tag: "AccountVerified" }
const banned: AccountEvent = { _tag: "AccountBanned", reason: "forged slips" }
const unbanned: AccountEvent = { _tag: "AccountUnbanned" }

describe("an account", () => {
  it("is registered with its contact sealed", () => {
    given(account).when(register).then(registered)
  })

  it("is registered without a contact", () => {
    given(account).when({ ...register, contact: null }).then({ ...registered, contact: null })
  })

  it("is registered once", () => {
    given(account, registered).when({ ...register, contact: null }).thenNothing()
    given(account, registered, banned).when(register).thenNothing()
  })

  it("is verified once", () => {
    given(account, registered).when({ _tag: "VerifyAccount" }).then(verified)
    given(account, registered, verified).when({ _tag: "VerifyAccount" }).thenNothing()
  })

  it("is banned once, with a reason", () => {
    given(account, registered).when({ _tag: "BanAccount", reason: "forged slips" }).then(banned)
    given(account, registered).when({ _tag: "BanAccount", reason: null }).then({ ...banned, reason: null })
    given(account, registered, banned).when({ _tag: "BanAccount", reason: "more" }).thenNothing()
  })

  it("is unbanned only after a ban, and can be banned again", () => {
    given(account, registered).when({ _tag: "UnbanAccount" }).thenNothing()
    given(account, registered, banned).when({ _tag: "UnbanAccount" }).then(unbanned)
    given(account, registered, banned, unbanned).when({ _tag: "UnbanAccount" }).thenNothing()
    given(account, registered, banned, unbanned).when({ _tag: "BanAccount", reason: "forged slips" }).then(banned)
  })

  it("stays verified through a ban", () => {
    given(account, registered, verified, banned, unbanned).when({ _tag: "VerifyAccount" }).thenNothing()
  })

  it.each<AccountCommand>([
    { _tag: "VerifyAccount" },
    { _tag: "BanAccount", reason: null },
    { _tag: "UnbanAccount" }
  ])("refuses $_tag before it is registered", (command) => {
    given(account).when(command).thenRejected("AccountNotFound")
  })
})

const Command = Schema.TaggedUnion({
  RegisterAccount: { accountId: Schema.Literals(["a-1", "a-2"]), contact: Schema.NullOr(Sealed) },
  VerifyAccount: {},
  BanAccount: { reason: Schema.NullOr(Schema.String) },
  UnbanAccount: {}
})

describe("any account", () => {
  itObeysTheLaws(account, AccountEvent, Arbitrary.schema(Command))
})
