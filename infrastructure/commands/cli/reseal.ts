import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import type { UnboundCounts } from "../../../application/sealed-values/count-unbound.ts"
import { reseal as resealAll, type Unopened } from "../../../application/sealed-values/reseal.ts"
import { answerIsNo } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { runLocalChange } from "./operation.ts"
import { print } from "./output.ts"
import { layerUpToDate } from "./stores.ts"
import { withoutAdminOperation } from "./target.ts"

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

/** Values by kind, such as `2 webhook secrets, 1 bank account and 0 contacts of account owners`. */
export const countsText = ({ bankAccounts, contacts, webhookSecrets }: UnboundCounts): string =>
  `${counted(webhookSecrets, "webhook secret", "webhook secrets")}, `
  + `${counted(bankAccounts, "bank account", "bank accounts")} and `
  + counted(contacts, "contact of an account owner", "contacts of account owners")

const kinds: Readonly<Record<Unopened["kind"], string>> = {
  webhookSecrets: "the webhook secret of branch",
  bankAccounts: "bank account",
  contacts: "the contact of account"
}

export const reseal = Command.make(
  "reseal",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
    const done = yield* runLocalChange((operation) => Effect.provide(resealAll(operation), layerUpToDate))
    yield* print(json, done, ({ resealed, unopened }) =>
      Console.log([
        `${countsText(resealed)} sealed anew: each opens in its own record only`,
        ...unopened.map(({ id, kind, reason }) => `${kinds[kind]} ${id} does not open: ${reason}`)
      ].join("\n")))
    if (done.unopened.length > 0) {
      return yield* answerIsNo(
        `${
          counted(done.unopened.length, "value does", "values do")
        } not open: rotate the secret, or register the account `
          + "again"
      )
    }
  })
).pipe(
  Command.withDescription(
    "Seal webhook secrets and accounts anew, each bound to its record, after an upgrade from an earlier version"
  ),
  withoutAdminOperation(
    "data folder",
    "reseal needs the person who knows that no process of an earlier version runs on the log"
  )
)
