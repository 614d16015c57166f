import { Effect } from "effect"
import { batchJobName, parseId } from "../../../../domain/ids.ts"
import { streamOf } from "../../../../domain/events/aggregates.ts"
import { EventStore } from "../../../../ports/event-store.ts"
import { Identifiers } from "../../../../ports/identifiers.ts"
import { batch } from "../../../../application/jobs/job-view.ts"
import { anyJob } from "../../../../application/jobs/load-job.ts"
import { facts, markup, pageTitled, table, tag } from "../../pages/html.ts"
import { copyable, summaryCard } from "../components.ts"
import { timeView } from "../../pages/times.ts"
import { notFoundPage } from "../error-pages.ts"
import { type PageContext, pathTo, requestPath } from "../page-context.ts"
import { shopView } from "../trail/shop-view.ts"

const tones = { pending: "plain", success: "good", not_found: "bad" } as const

/** A batch and its jobs. */
export const batchPage = Effect.fnUntraced(function* (context: PageContext) {
  const { messages, params: [id = ""] } = context
  const { common, jobStates } = messages
  const batchId = parseId(id)
  const first = batchId === undefined
    ? undefined
    : yield* anyJob((yield* Identifiers).derived(batchJobName(batchId, 0)))
  if (batchId === undefined || first === undefined) return notFoundPage(context, messages.subject.unknown)
  const { branchId } = first.enqueued
  const found = yield* batch(batchId, branchId).pipe(Effect.catchTag("JobNotFound", () => Effect.undefined))
  if (found === undefined) return notFoundPage(context, messages.batch.expired)
  const { counts, createdAt, jobs } = found
  const [enqueued] = yield* (yield* EventStore).readStream(streamOf.job(first.enqueued.jobId), { limit: 1 })
  const requestId = enqueued?.metadata.correlationId ?? ""
  const shop = yield* shopView(branchId)
  const rows = jobs.map(({ index, jobId, status }) => [
    String((index ?? 0) + 1),
    markup`<a class="id" href="${pathTo("trail", "job", jobId)}">${jobId}</a>`,
    tag(jobStates[status], tones[status])
  ])
  const state = counts.pending > 0 ? "pending" : counts.success > 0 ? "success" : "not_found"
  return pageTitled(`${messages.batch.title} ${batchId}`)`<h1>${messages.batch.title} ${
    copyable(context, batchId)
  }</h1>${
    summaryCard(messages, [
      markup`<p class="verdict">${
        tag(jobStates[state], counts.not_found > 0 && counts.success > 0 ? "plain" : tones[state])
      } ${messages.batch.counts(counts.pending, counts.success, counts.not_found)}</p>`,
      facts([
        [messages.summary.shop, shop],
        [messages.summary.received, timeView(messages, createdAt)],
        [
          messages.request.title,
          markup`<a class="id" href="${requestPath(requestId)}">${requestId}</a>`
        ]
      ])
    ])
  }<section class="card"><h2>${messages.batch.jobs}</h2>${
    table(messages.batch.jobs, [messages.batch.number, messages.callbacks.job, common.state], rows)
  }</section>`
})
