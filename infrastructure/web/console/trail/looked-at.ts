import { Effect } from "effect"
import { actsAbout } from "../../../../application/trail/looks.ts"
import { eventText } from "../../event-text/event-text.ts"
import { markup } from "../../pages/html.ts"
import { table } from "../../pages/elements.ts"
import { timeView } from "../../pages/times.ts"
import { auditPath } from "../audit-path.ts"
import type { PageContext } from "../page-context.ts"

/** Acts that a trail page lists. */
const MAX_ACTS = 10

/**
 * Who looked at a subject, exported or erased it: the newest acts of operators about it and what belongs to it. `name` is
 * the subject in the filter of the audit. Nothing when the role may not read the audit.
 */
export const lookedAtSection = Effect.fnUntraced(function* (
  context: PageContext,
  name: string,
  subjects: ReadonlyArray<string>
) {
  if (!context.may("/console/audit")) return undefined
  const { messages } = context
  const { audit, looks } = messages
  const { acts, hasMore, isComplete } = yield* actsAbout(subjects, MAX_ACTS)
  const rows = acts.map(({ event, operator }) => [
    timeView(messages, event.metadata.at),
    markup`<a href="${auditPath({ operator })}">${operator}</a>`,
    event.metadata.actor.id,
    eventText(messages.eventTexts, event)
  ])
  return markup`<section class="card" aria-labelledby="looks"><h2 id="looks">${looks.title}</h2>${
    rows.length === 0
      ? markup`<p>${looks.none}</p>`
      : table(looks.title, [audit.at, audit.filters.operator, audit.surface, audit.what], rows)
  }${hasMore ? markup`<p class="hint">${looks.more}</p>` : undefined}${
    isComplete ? undefined : markup`<p class="hint">${looks.partly}</p>`
  }<p class="hint">${looks.exports} <a href="${
    auditPath({ kind: "TrailExported" })
  }">${looks.allExports}</a></p><p><a class="button" href="${
    auditPath({ subject: name })
  }">${looks.all}</a></p></section>`
})
