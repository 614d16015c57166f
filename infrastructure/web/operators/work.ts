import { Effect } from "effect"
import { listCallbacks } from "../../../application/callbacks/list-callbacks.ts"
import { redeliver } from "../../../application/callbacks/redeliver-callbacks.ts"
import { erase } from "../../../application/erasure/erase-slip.ts"
import { listAllVerifications } from "../../../application/reading/list-all-verifications.ts"
import { statistics } from "../../../application/reading/statistics.ts"
import { find } from "../../../application/search/find.ts"
import { auditItem, listAudit } from "../../../application/trail/audit.ts"
import { listJobs } from "../../../projections/models/jobs.ts"
import type * as declared from "../api/operations/admin.ts"
import type * as declaredAudit from "../api/operations/admin-audit.ts"
import type * as declaredSearch from "../api/operations/admin-search.ts"
import { enEventTexts } from "../languages/en/events.ts"
import { eventText } from "../event-text/event-text.ts"
import { auditFilterOf } from "../input/audit-query.ts"
import { jobFilter } from "../input/operator-queries.ts"
import { allVerificationsFilter } from "../input/verification-queries.ts"
import type { HandlersOf } from "./handler.ts"

/** Jobs and callbacks of all branches. */
export const work = {
  listJobs: ({ page, query }) => listJobs({ ...jobFilter(query), ...page }),
  listCallbacks: ({ page, query: { from, host, order, state, to } }) =>
    listCallbacks({ state, host, from, to, order, ...page }),
  redeliverCallbacks: ({ body, ids }) => Effect.map(redeliver(body, ids), (redelivered) => ({ redelivered }))
} satisfies HandlersOf<typeof declared.work>

/** What operators count, list and search over all branches. */
export const reports = {
  getStatistics: ({ query }) => statistics(query),
  listVerifications: ({ page, query }) => listAllVerifications({ ...allVerificationsFilter(query), ...page }),
  find: ({ query: { q } }) => find(q)
} satisfies HandlersOf<typeof declared.reports & typeof declaredSearch.search>

/** What operators did. */
export const audit = {
  listAudit: Effect.fnUntraced(function* ({ page, query }) {
    const found = yield* listAudit({ ...yield* auditFilterOf(query), order: query.order, ...page })
    const items = found.items.map((act) => auditItem(act, eventText(enEventTexts, act.event)))
    return { items, nextCursor: found.nextCursor }
  })
} satisfies HandlersOf<typeof declaredAudit.audit>

export const erasure = {
  eraseSlip: ({ body: { reason, subject }, ids }) => erase(subject, reason, ids)
} satisfies HandlersOf<Pick<typeof declared.trail, "eraseSlip">>
