import { Effect } from "effect"
import { outcomeOf } from "../../../../application/trail/outcomes.ts"
import { trail } from "../../../../application/trail/trail.ts"
import type { RecordedEvent } from "../../../../domain/events/recorded-event.ts"
import { type Content, facts, markup, pageTitled } from "../../pages/html.ts"
import { durationText, timeView } from "../../pages/times.ts"
import { pageOf } from "../../http/operations/page.ts"
import { copyable, pager, summaryCard } from "../components.ts"
import { notFoundPage } from "../error-pages.ts"
import { timelineCard } from "../events-view.ts"
import { type PageContext, pageOfKind, requestPath } from "../page-context.ts"
import { clustersCard } from "../trail/clusters.ts"
import { shopView } from "../trail/shop-view.ts"
import { answerView } from "../trail/answer.ts"

/** Events of a page, so that a page has at most as many steps. */
const PAGE = 50

/** Links of one kind that the page shows. */
const MAX_LINKS = 50

const isText = (value: unknown): value is string => typeof value === "string"

const linkList = (ids: ReadonlyArray<string>, pathOf: (id: string) => string): Content =>
  markup`<ul class="values">${
    ids.slice(0, MAX_LINKS).map((id) => markup`<li><a class="id" href="${pathOf(id)}">${id}</a></li>`)
  }${ids.length > MAX_LINKS ? markup`<li>… ${ids.length}</li>` : undefined}</ul>`

/** Links to the requests, when callers named them so, and to the subjects of the events. */
const subjects = ({ messages }: PageContext, id: string, events: ReadonlyArray<RecordedEvent>) => {
  const requests = [...new Set(events.map(({ metadata }) => metadata.correlationId))]
  const clientIds = [...new Set(events.map(({ metadata }) => metadata.clientRequestId))].filter(isText)
  const idsOf = (field: string) => [...new Set(events.map(({ data }) => data[field]).filter(isText))]
  const jobs = idsOf("jobId")
  // A job's verification has the job's id.
  const verifications = idsOf("verificationId").filter((id) => !jobs.includes(id))
  const rows = [
    ["X-Request-Id", requests.filter((request) => request !== id), requestPath],
    ["X-Client-Request-Id", clientIds.filter((clientId) => clientId !== id), requestPath],
    [messages.batch.title, idsOf("batchId"), pageOfKind.batch],
    [messages.subject.Job, jobs, pageOfKind.job],
    [messages.subject.Verification, verifications, pageOfKind.verification]
  ] as const
  return rows.filter(([, ids]) => ids.length > 0).map(([label, ids, pathOf]) => [label, linkList(ids, pathOf)] as const)
}

/** Shops and outcomes that the summary shows. */
const MAX_SHOWN = 5

/** The operators and the branches that sent the request. */
const sendersOf = (events: ReadonlyArray<RecordedEvent>) => {
  const actors = events.map(({ metadata }) => metadata.actor)
  return {
    branchIds: [...new Set(actors.filter(({ kind }) => kind === "branch").map(({ id }) => id))],
    operators: [...new Set(actors.filter(({ kind }) => kind === "admin").map(({ id, operator = id }) => operator))]
  }
}

/** What the request led to, who sent it, when, and links to its subjects. */
const requestSummary = Effect.fnUntraced(function* (
  context: PageContext,
  id: string,
  events: ReadonlyArray<RecordedEvent>
) {
  const { messages } = context
  const { audit, summary } = messages
  const outcomes = events.map(outcomeOf).filter((outcome) => outcome !== undefined)
  const isLater = events.some(({ type }) => type === "VerificationEnqueued")
  const { branchIds, operators } = sendersOf(events)
  const shops = yield* Effect.forEach(branchIds.slice(0, MAX_SHOWN), shopView)
  const [first] = events
  const last = events.at(-1)
  return summaryCard(messages, [
    ...outcomes.slice(0, MAX_SHOWN).map((outcome) => answerView(messages, outcome, isLater)),
    facts([
      ...(shops.length === 0
        ? []
        : [[summary.shop, markup`<ul class="values">${shops.map((shop) => markup`<li>${shop}</li>`)}</ul>`] as const]),
      ...(operators.length === 0 ? [] : [[audit.filters.operator, operators.join(", ")] as const]),
      ...(first === undefined || last === undefined ? [] : [
        [summary.received, timeView(messages, first.metadata.at)] as const,
        [
          summary.lastEvent,
          markup`${timeView(messages, last.metadata.at)} · ${
            summary.took(durationText(messages, Date.parse(last.metadata.at) - Date.parse(first.metadata.at)))
          }`
        ] as const
      ]),
      ...subjects(context, id, events)
    ])
  ])
})

/** The events of a request, by the id in its response or the id that its caller sent. */
export const requestPage = Effect.fnUntraced(function* (context: PageContext) {
  const { exchange, messages, query } = context
  const { request } = messages
  const id = (query.get("id") ?? "").trim()
  const { cursor } = yield* pageOf(exchange)
  const found = yield* trail({ _tag: "Request", id }, { cursor, limit: PAGE, upTo: undefined }).pipe(
    Effect.catchTag(["TrailEmpty", "CursorUnknown"], () => Effect.undefined)
  )
  if (found === undefined) return notFoundPage(context, request.unknown)
  const { events, nextCursor } = found
  const summary = cursor === undefined ? yield* requestSummary(context, id, events) : undefined
  const hints = nextCursor === null ? [] : [request.more]
  return pageTitled(`${request.title} ${id}`)`<h1>${request.title} ${copyable(context, id)}</h1>${summary}${
    timelineCard(messages, events)
  }${clustersCard(messages, events, { hints })}${pager(context, nextCursor)}`
})
