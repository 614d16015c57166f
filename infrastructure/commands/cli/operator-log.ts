import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { jsonFlag, limitFlag, optionalText, orderFlag, TIME } from "./flags.ts"
import { runList } from "./operation.ts"
import { note, noteMore, print, printTable } from "./output.ts"

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
  Effect.fnUntraced(function* ({ json, limit, order, ...flags }) {
    const given = Object.entries(flags).flatMap(([name, flag]) =>
      Option.match(flag, { onNone: () => [], onSome: (text) => [[name, text.trim()]] })
    )
    const query = { ...Object.fromEntries(given), order }
    const { hasMore, items: acts } = yield* runList(limit, { name: "listAudit", query })
    if (acts.length === 0) yield* note("There are no such acts")
    yield* print(json, acts, () =>
      printTable(
        ["at", "operator", "over", "what", "about"],
        acts.map(({ at, operator, subject, summary, surface }) => [
          at,
          operator,
          surface,
          summary,
          subject === null ? "" : `${subject.kind} ${subject.id}`
        ])
      ))
    yield* noteMore(hasMore)
  })
).pipe(Command.withDescription("List what operators did, newest first"))
