import { Command } from "effect/cli"
import type { AccountView } from "../../../application/views/provisioning.ts"
import { idArgument, optionalText, reasonFlag } from "./flags.ts"
import { changeOne, printing, readOne, runChange, runCreate } from "./operation.ts"
import { printFields } from "./output.ts"
import { accountFields } from "./views.ts"

const id = idArgument("Id of the account")

const printsAccount = printing((account: AccountView) => printFields(accountFields(account)))

export const account = Command.make("account").pipe(
  Command.withDescription("Accounts: the owners of services"),
  Command.withSubcommands([
    printsAccount(
      "create",
      {
        name: optionalText("name", "Name of the owner; sealed in the log"),
        email: optionalText("email", "Email of the owner; sealed in the log")
      },
      (body) => runCreate({ name: "createAccount", body }),
      "Create an account, which owns services; verify it before they can call"
    ),
    printsAccount("show", { id }, readOne("getAccount"), "Show an account"),
    printsAccount("verify", { id }, changeOne("verifyAccount"), "Verify an account, so that its services may call"),
    printsAccount(
      "ban",
      { id, reason: reasonFlag },
      ({ id, reason }) => runChange({ name: "banAccount", params: { id }, body: { reason } }),
      "Ban an account: the API keys of all its services are refused"
    ),
    printsAccount("unban", { id }, changeOne("unbanAccount"), "Remove the ban of an account")
  ])
)
