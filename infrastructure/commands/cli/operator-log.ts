import { Command } from "effect/cli"
import { jsonFlag, limitFlag, optionalText, orderFlag, TIME, trimmed } from "./flags.ts"
import { printList } from "./operation.ts"

/** Lists what operators did (docs/spec/http.md, "Audit"). */
export const log = Command.make(
  "log",
  {
    operator: optionalText("operator", "Only acts of that operator; api, cli or console for events from before names"),
    kind: optionalText("kind", "Only events of that type, such as PersonalDataRevealed"),
    subject: optionalText("subject", "Only acts about that: an id, the name of an operator, or BANK:TRANSREF"),
    from: optionalText("from", `Only acts at that time or later: ${TIME}`),
    to: optionalText("to", `Only acts up to that time: ${TIME}, which means the end of that day`),
    order: orderFlag,
    limit: limitFlag,
    json: jsonFlag
  },
  ({ json, limit, order, ...flags }) =>
    printList({ json, limit }, { name: "listAudit", query: { ...trimmed(flags), order } }, {
      at: "at",
      operator: "operator",
      over: "surface",
      what: "summary",
      about: ({ subject }) => subject === null ? "" : `${subject.kind} ${subject.id}`
    }, "There are no such acts")
).pipe(Command.withDescription("List what operators did, newest first"))
