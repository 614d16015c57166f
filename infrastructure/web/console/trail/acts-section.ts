import { Effect } from "effect"
import { actsAbout } from "../../../../application/trail/acts-about.ts"
import { eventText } from "../../event-text/event-text.ts"
import { listTable, markup } from "../../pages/html.ts"
import { timeView } from "../../pages/times.ts"
import { auditPath, type PageContext } from "../page-context.ts"

/** Acts that a trail page lists. */
const MAX_ACTS = 10

/**
 * Who looked at a subject, exported or erased it: the newest acts of operators about it and what belongs to it. `name` is
 * the subject in the filter of the audit. Nothing when the role may not read the audit.
 */
export const actsSection = Effect.fnUntraced(function* (
  context: PageContext,
  name: string,
  subjects: ReadonlyArray<string>
) {
  if (!context.may("/console/audit")) return undefined
  const { messages } = context
  const { audit, acts } = messages
  const { acts: newest, hasMore, isComplete } = yield* actsAbout(subjects, MAX_ACTS)
  const list = listTable(acts.title, newest, [
    [audit.at, ({ event }) => timeView(messages, event.metadata.at)],
    [audit.filters.operator, ({ operator }) => markup`<a href="${auditPath({ operator })}">${operator}</a>`],
    [audit.surface, ({ event }) => event.metadata.actor.id],
    [audit.what, ({ event }) => eventText(messages.eventTexts, event)]
  ], acts.none)
  return markup`<section class="card" aria-labelledby="acts"><h2 id="acts">${acts.title}</h2>${list}${
    hasMore ? markup`<p class="hint">${acts.more}</p>` : undefined
  }${isComplete ? undefined : markup`<p class="hint">${acts.partly}</p>`}<p class="hint">${acts.exports} <a href="${
    auditPath({ kind: "TrailExported" })
  }">${acts.allExports}</a></p><p><a class="button" href="${
    auditPath({ subject: name })
  }">${acts.all}</a></p></section>`
})
