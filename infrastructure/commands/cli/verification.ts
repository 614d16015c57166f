import { Effect } from "effect"
import { Command } from "effect/cli"
import { toned } from "./colors.ts"
import { isoTimeOf, jsonFlag, limitFlag, optionalChoice, optionalText, orderFlag, TIME } from "./flags.ts"
import { printList } from "./operation.ts"
import { outcomeNames } from "../../web/api/requests/verification-queries.ts"

const tones: Readonly<Record<string, "good" | "caution" | undefined>> = { verified: "good", duplicate: undefined }

const list = Command.make(
  "list",
  {
    branch: optionalText("branch", "Only of that branch"),
    service: optionalText("service", "Only of that service"),
    outcome: optionalChoice("outcome", outcomeNames, "Only that outcome; failed is every failure"),
    accepted: optionalChoice(
      "accepted",
      ["true", "false"],
      "Only slips that met all conditions, or only those that did not"
    ),
    minAmount: optionalText("min-amount", "Only that amount or more, in baht"),
    maxAmount: optionalText("max-amount", "Only that amount or less, in baht"),
    remark: optionalText("remark", "Only with that remark"),
    reference: optionalText("reference", "Only of that slip: its reference, or BANK:REFERENCE"),
    bankAccount: optionalText("bank-account", "Only slips whose receiver matched that bank account"),
    from: optionalText("from", `Only at that time or later: ${TIME}`),
    to: optionalText("to", "Only up to that time; a day means the end of that day"),
    order: orderFlag,
    limit: limitFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, limit, ...flags }) {
    const query = {
      ...flags,
      from: yield* isoTimeOf("from", flags.from, "first"),
      to: yield* isoTimeOf("to", flags.to, "last")
    }
    yield* printList({ json, limit }, { name: "listVerifications", query }, {
      time: "at",
      service: "serviceId",
      branch: "branchId",
      outcome: ({ outcome }) => toned(Object.hasOwn(tones, outcome) ? tones[outcome] : "caution", outcome),
      baht: ({ amount }) => amount?.toFixed(2) ?? "",
      verification: "verificationId"
    }, "There are no such verifications")
  })
).pipe(Command.withDescription("List the verifications of all branches, of a service or of a branch, newest first"))

export const verification = Command.make("verification").pipe(
  Command.withDescription("Verifications; trail show --verification shows one"),
  Command.withSubcommands([list])
)
