import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { toned } from "./colors.ts"
import { isoTimeOf, jsonFlag, limitFlag, optionalText, orderFlag, TIME } from "./flags.ts"
import { runList } from "./operation.ts"
import { note, noteMore, print, printTable } from "./output.ts"
import { outcomeNames } from "../../web/api/requests/verification-queries.ts"

const flag = (name: string, description: string) =>
  Flag.Literals(name, ["true", "false"]).pipe(Flag.withDescription(description), Flag.optional)

const tones: Readonly<Record<string, "good" | "caution" | undefined>> = { verified: "good", duplicate: undefined }

const list = Command.make(
  "list",
  {
    branch: optionalText("branch", "Only of that branch"),
    service: optionalText("service", "Only of that service"),
    outcome: Flag.Literals("outcome", outcomeNames).pipe(
      Flag.withDescription("Only that outcome; failed is every failure"),
      Flag.optional
    ),
    accepted: flag("accepted", "Only slips that met all conditions, or only those that did not"),
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
  Effect.fnUntraced(function* ({ json, ...flags }) {
    const query = {
      branch: Option.getOrUndefined(flags.branch),
      service: Option.getOrUndefined(flags.service),
      outcome: Option.getOrUndefined(flags.outcome),
      accepted: Option.getOrUndefined(flags.accepted),
      minAmount: Option.getOrUndefined(flags.minAmount),
      maxAmount: Option.getOrUndefined(flags.maxAmount),
      remark: Option.getOrUndefined(flags.remark),
      reference: Option.getOrUndefined(flags.reference),
      bankAccount: Option.getOrUndefined(flags.bankAccount),
      from: yield* isoTimeOf("from", flags.from, "first"),
      to: yield* isoTimeOf("to", flags.to, "last"),
      order: flags.order
    }
    const { hasMore, items } = yield* runList(flags.limit, { name: "listVerifications", query })
    if (items.length === 0) yield* note("There are no such verifications")
    yield* print(json, items, () =>
      printTable(
        ["time", "service", "branch", "outcome", "baht", "verification"],
        items.map(({ amount, at, branchId, outcome, serviceId, verificationId }) => [
          at,
          serviceId ?? "",
          branchId,
          toned(Object.hasOwn(tones, outcome) ? tones[outcome] : "caution", outcome),
          amount?.toFixed(2) ?? "",
          verificationId
        ])
      ))
    yield* noteMore(hasMore)
  })
).pipe(Command.withDescription("List the verifications of all branches, of a service or of a branch, newest first"))

export const verification = Command.make("verification").pipe(
  Command.withDescription("Verifications; trail show --verification shows one"),
  Command.withSubcommands([list])
)
