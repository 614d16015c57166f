import { Effect } from "effect"
import { batchJobName, parseId } from "../../../domain/ids.ts"
import { Identifiers } from "../../../ports/identifiers.ts"
import { batch } from "../../../application/jobs/batch-view.ts"
import { anyJob } from "../../../application/jobs/job-view.ts"
import { markup } from "../../http/html.ts"
import { copyable, facts, table, tag } from "../parts.ts"
import { timeView } from "../time-view.ts"
import { notFoundPage } from "../error-pages.ts"
import { type Answer, pathTo, type Visit } from "../page-context.ts"

const moods = { pending: "plain", success: "good", not_found: "bad" } as const

/** A batch and its jobs. */
export const batchPage = Effect.fnUntraced(function* (visit: Visit) {
  const { params: [id = ""], words } = visit
  const { common, jobStates } = words
  const batchId = parseId(id)
  const first = batchId === undefined
    ? undefined
    : yield* anyJob((yield* Identifiers).derived(batchJobName(batchId, 0)))
  if (batchId === undefined || first === undefined) return notFoundPage(visit, words.subject.unknown)
  const { branchId } = first.enqueued
  const found = yield* batch(batchId, branchId).pipe(Effect.catchTag("JobNotFound", () => Effect.undefined))
  if (found === undefined) return notFoundPage(visit, words.batch.expired)
  const { counts, createdAt, jobs } = found
  return {
    _tag: "Page",
    title: `${words.batch.title} ${batchId}`,
    content: markup`<h1>${words.batch.title} ${copyable(visit, batchId)}</h1>${
      facts([
        [common.created, timeView(words, createdAt)],
        [words.overview.branch, markup`<a class="id" href="${pathTo("branches", branchId)}">${branchId}</a>`],
        [common.state, words.batch.counts(counts.pending, counts.success, counts.not_found)]
      ])
    }<section class="card"><h2>${words.batch.jobs}</h2>${
      table(
        words.batch.jobs,
        [words.batch.number, words.callbacks.job, common.state],
        jobs.map(({ index, jobId, status }) => [
          String((index ?? 0) + 1),
          markup`<a class="id" href="${pathTo("trail", "job", jobId)}">${jobId}</a>`,
          tag(jobStates[status], moods[status])
        ])
      )
    }</section>`
  } satisfies Answer
})
