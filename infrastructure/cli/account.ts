import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { changeAccount, createAccount } from "../../application/provisioning/services.ts"
import { Directory } from "../../application/provisioning/directory.ts"
import { answerIsNo } from "./exit.ts"
import { decodeFlags, idArgument, idOf, jsonFlag, optionalText, reasonFlag } from "./flags.ts"
import { runChange, runCreate, runRead } from "./operation.ts"
import { print, printFields } from "./output.ts"
import type { Request } from "./request.ts"
import { accountFields } from "./views.ts"
import { decodeAccount, decodeReason } from "../input/operator-requests.ts"

const id = idArgument("Id of the account")

const create = Command.make(
  "create",
  {
    name: optionalText("name", "Name of the owner; sealed in the log"),
    email: optionalText("email", "Email of the owner; sealed in the log"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const body = { name: Option.getOrUndefined(flags.name), email: Option.getOrUndefined(flags.email) }
    const { email = null, name = null } = yield* decodeFlags(decodeAccount, body)
    const account = yield* runCreate(
      { name: "createAccount", body },
      (operation) => createAccount({ name, email }, operation)
    )
    yield* print(flags.json, account, (account) => printFields(accountFields(account)))
  })
).pipe(Command.withDescription("Create an account, which owns services; verify it before they can call"))

const show = Command.make(
  "show",
  { id, json: jsonFlag },
  Effect.fnUntraced(function* ({ id, json }) {
    const account = yield* runRead(
      { name: "getAccount", params: { id: idOf(id) } },
      Effect.gen(function* () {
        return (yield* (yield* Directory).account(idOf(id))) ?? (yield* answerIsNo("the account does not exist"))
      })
    )
    yield* print(json, account, (account) => printFields(accountFields(account)))
  })
).pipe(Command.withDescription("Show an account"))

interface Given {
  readonly id: string
  readonly json: boolean
}

const change = Effect.fnUntraced(function* (
  { id, json }: Given,
  request: Request<"verifyAccount"> | Request<"banAccount"> | Request<"unbanAccount">,
  command: Parameters<typeof changeAccount>[1]
) {
  const account = yield* runChange(request, (operation) => changeAccount(idOf(id), command, operation))
  yield* print(json, account, (account) => printFields(accountFields(account)))
})

const paramsOf = ({ id }: Given) => ({ id: idOf(id) })

const verify = Command.make(
  "verify",
  { id, json: jsonFlag },
  (flags) => change(flags, { name: "verifyAccount", params: paramsOf(flags) }, { _tag: "VerifyAccount" })
).pipe(
  Command.withDescription("Verify an account, so that its services may call")
)

const ban = Command.make(
  "ban",
  { id, reason: reasonFlag, json: jsonFlag },
  Effect.fnUntraced(function* (flags) {
    const body = { reason: Option.getOrUndefined(flags.reason) }
    const { reason = null } = yield* decodeFlags(decodeReason, body)
    yield* change(flags, { name: "banAccount", params: paramsOf(flags), body }, { _tag: "BanAccount", reason })
  })
).pipe(Command.withDescription("Ban an account: the API keys of all its services are refused"))

const unban = Command.make(
  "unban",
  { id, json: jsonFlag },
  (flags) => change(flags, { name: "unbanAccount", params: paramsOf(flags) }, { _tag: "UnbanAccount" })
).pipe(Command.withDescription("Remove the ban of an account"))

export const account = Command.make("account").pipe(
  Command.withDescription("Accounts: the owners of services"),
  Command.withSubcommands([create, show, verify, ban, unban])
)
