import { Effect } from "effect"
import { Command } from "effect/cli"
import type { AccountView } from "../../../application/views/provisioning.ts"
import { idArgument, idOf, jsonFlag, optionalText, reasonFlag } from "./flags.ts"
import { commandsOn, runChange, runCreate, runRead } from "./operation.ts"
import { print, printFields } from "./output.ts"
import { accountFields } from "./views.ts"

const id = idArgument("Id of the account")

const printAccount = (json: boolean, account: AccountView) =>
  print(json, account, () => printFields(accountFields(account)))

const create = Command.make(
  "create",
  {
    name: optionalText("name", "Name of the owner; sealed in the log"),
    email: optionalText("email", "Email of the owner; sealed in the log"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const body = { name: flags.name, email: flags.email }
    yield* printAccount(flags.json, yield* runCreate({ name: "createAccount", body }))
  })
).pipe(Command.withDescription("Create an account, which owns services; verify it before they can call"))

const onAccount = commandsOn(id, printAccount)

const ban = Command.make(
  "ban",
  { id, reason: reasonFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ id, json, reason }) {
    yield* printAccount(json, yield* runChange({ name: "banAccount", params: { id: idOf(id) }, body: { reason } }))
  })
).pipe(Command.withDescription("Ban an account: the API keys of all its services are refused"))

export const account = Command.make("account").pipe(
  Command.withDescription("Accounts: the owners of services"),
  Command.withSubcommands([
    create,
    onAccount("show", (id) => runRead({ name: "getAccount", params: { id } }), "Show an account"),
    onAccount(
      "verify",
      (id) => runChange({ name: "verifyAccount", params: { id } }),
      "Verify an account, so that its services may call"
    ),
    ban,
    onAccount("unban", (id) => runChange({ name: "unbanAccount", params: { id } }), "Remove the ban of an account")
  ])
)
