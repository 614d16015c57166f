import {
  CallbackQuery,
  ErasureRequest,
  JobQuery,
  RedeliveryRequest,
  StatisticsQuery,
  TrailQuery
} from "../requests/operator-queries.ts"
import type { V2Code } from "../failures.ts"
import type { Operation } from "../operation.ts"
import { CallbackItem } from "../../../../application/views/job.ts"
import * as responses from "../responses/admin.ts"
import { Statistics } from "../../../../application/views/statistics.ts"
import { Trail } from "../responses/trail.ts"
import * as examples from "./admin-examples.ts"
import { adminCodes, body, codesWithBoth, codesWithId, codesWithInput, page, success } from "./admin-operation.ts"
import { audit, evidence } from "./admin-audit.ts"
import { bankAccounts } from "./admin-bank-accounts.ts"
import { operators } from "./admin-operators.ts"
import { apiKeys } from "./admin-keys.ts"
import { search } from "./admin-search.ts"
import { accounts, branches, services } from "./admin-provisioning.ts"
import { operationsOf } from "./declare.ts"

const inJobs = operationsOf("Jobs and callbacks")
const inTrail = operationsOf("Trail")
const inReadModels = operationsOf("Read models")

const name = { description: "The name of the read model, such as `jobs`." }

export const work = {
  listJobs: inJobs.get("/admin/v1/jobs", {
    summary: "Jobs of all branches",
    description:
      "By the time at which they came into their state. Jobs that ended are listed for `JOB_RETENTION`, 90 days by default.",
    query: JobQuery,
    isPaged: true,
    success: page(responses.JobSummary, "Jobs", examples.job),
    codes: codesWithInput
  }),
  listCallbacks: inJobs.get("/admin/v1/callbacks", {
    summary: "Callbacks of all branches",
    description: "Pending ones by the time at which they are due, the others by their end, for `JOB_RETENTION`.",
    query: CallbackQuery,
    isPaged: true,
    success: page(CallbackItem, "Callbacks", examples.callback),
    codes: codesWithInput
  }),
  redeliverCallbacks: inJobs.post("/admin/v1/callbacks/redeliver", {
    summary: "Send callbacks again",
    description: "Exactly one of `jobId`, `host`, and `from` with `to`.",
    body: body(RedeliveryRequest, { host: "shop.example" }),
    success: success(responses.Redelivered, "Callbacks that are sent again", { redelivered: 3 }),
    codes: [...codesWithInput, "JOB_NOT_FOUND"]
  })
} as const satisfies Record<string, Operation<V2Code>>

/** Events of a trail's page. Most trails have fewer. */
const TRAIL_PAGE = 500

export const trail = {
  getTrail: inTrail.get("/admin/v1/trail", {
    summary: "The trail of a job, slip, verification, branch or request",
    description:
      "Exactly one of `job`, `slip`, `verification`, `branch` and `request`. A page reads about `limit` events: "
      + "it can have fewer, even none, while there is a next page.",
    query: TrailQuery,
    isPaged: true,
    pageLimit: TRAIL_PAGE,
    success: success(Trail, "Trail", examples.trail),
    codes: codesWithBoth
  }),
  eraseSlip: inTrail.post("/admin/v1/forget", {
    summary: "Erase the personal data of a slip or a job",
    description:
      "Exactly one of `slip` and `job`. Destroys the keys, which cannot be undone. Amounts, times and verdicts stay.",
    body: body(ErasureRequest, { slip: "004:013071152533APM07736", reason: "Request of the sender" }),
    success: success(responses.Erasure, "The personal data of the slip is forgotten", examples.erasure),
    codes: codesWithBoth
  })
} as const satisfies Record<string, Operation<V2Code>>

export const projections = {
  listProjections: inReadModels.get("/admin/v1/projections", {
    summary: "How far the read models are",
    description: "`lag` is the distance to the end of the log.",
    success: success(responses.Projections, "Projections", [examples.projection]),
    codes: adminCodes
  }),
  rebuildProjection: inReadModels.post("/admin/v1/projections/:name/rebuild", {
    summary: "Build a read model anew",
    description: "Answers when it is done. When the connection ends, nothing has changed.",
    params: { name },
    success: success(responses.Rebuilt, "Read model built anew", examples.rebuilt),
    codes: codesWithId
  }),
  compareProjection: inReadModels.post("/admin/v1/projections/:name/compare", {
    summary: "Compare a read model with a replay",
    description: "Answers when it is done.",
    params: { name },
    success: success(responses.Comparison, "The read model is what a replay gives", examples.comparison),
    codes: codesWithId
  })
} as const satisfies Record<string, Operation<V2Code>>

export const reports = {
  getStatistics: operationsOf("Statistics").get("/admin/v1/statistics", {
    summary: "What was verified in each hour or day",
    description:
      "Of all services, of one, or of one branch: outcomes, amounts, durations and attempts of callbacks. Hours leave the "
      + "statistics after `JOB_RETENTION`, 90 days by default.",
    query: StatisticsQuery,
    success: success(Statistics, "Statistics", examples.statistics),
    codes: codesWithBoth
  })
} as const satisfies Record<string, Operation<V2Code>>

/** Every operation of the admin API (docs/spec/http.md, "Admin API"), by its id. */
export const adminOperations = {
  ...accounts,
  ...services,
  ...branches,
  ...apiKeys,
  ...bankAccounts,
  ...work,
  ...reports,
  ...search,
  ...trail,
  ...operators,
  ...evidence,
  ...audit,
  ...projections
}
