import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import type { AccountView } from "../../../application/views/provisioning.ts"
import { idArgument, idOf, jsonFlag, optionalText, reasonFlag } from "./flags.ts"
import { runChange, runCreate, runRead } from "./operation.ts"
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
    const body = { name: Option.getOrUndefined(flags.name), email: Option.getOrUndefined(flags.email) }
    yield* printAccount(flags.json, yield* runCreate({ name: "createAccount", body }))
  })
).pipe(Command.withDescription("Create an account, which owns services; verify it before they can call"))

const show = Command.make(
  "show",
  { id, json: jsonFlag },
  Effect.fnUntraced(function* ({ id, json }) {
    yield* printAccount(json, yield* runRead({ name: "getAccount", params: { id: idOf(id) } }))
  })
).pipe(Command.withDescription("Show an account"))

const stateCommand = <const Name extends string>(
  command: Name,
  name: "verifyAccount" | "unbanAccount",
  description: string
) =>
  Command.make(
    command,
    { id, json: jsonFlag },
    Effect.fnUntraced(function* ({ id, json }) {
      yield* printAccount(json, yield* runChange({ name, params: { id: idOf(id) } }))
    })
  ).pipe(Command.withDescription(description))

const ban = Command.make(
  "ban",
  { id, reason: reasonFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ id, json, reason }) {
    const body = { reason: Option.getOrUndefined(reason) }
    yield* printAccount(json, yield* runChange({ name: "banAccount", params: { id: idOf(id) }, body }))
  })
).pipe(Command.withDescription("Ban an account: the API keys of all its services are refused"))

export const account = Command.make("account").pipe(
  Command.withDescription("Accounts: the owners of services"),
  Command.withSubcommands([
    create,
    show,
    stateCommand("verify", "verifyAccount", "Verify an account, so that its services may call"),
    ban,
    stateCommand("unban", "unbanAccount", "Remove the ban of an account")
  ])
)
