import { Effect } from "effect"
import { trail } from "../../../application/trail/trail.ts"
import type { RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { type Content, markup } from "../../pages/html.ts"
import { pageOf } from "../../http/page.ts"
import { copyable, pager } from "../components.ts"
import { facts } from "../../pages/elements.ts"
import { notFoundPage } from "../error-pages.ts"
import { eventsCard, timelineCard } from "../events-view.ts"
import { type PageContext, type PageResult, pathTo } from "../page-context.ts"

/** Events of a page. */
const PAGE = 200

/** Links of one kind that the page shows. */
const MAX_LINKS = 50

/** The id is in the query: callers choose it, and as a part of a path `..` would be resolved by the browser. */
export const requestPath = (id: string): string => `/console/request?${new URLSearchParams({ id }).toString()}`

const isText = (value: unknown): value is string => typeof value === "string"

const linkList = (ids: ReadonlyArray<string>, pathOf: (id: string) => string): Content =>
  markup`<ul class="values">${
    ids.slice(0, MAX_LINKS).map((id) => markup`<li><a class="id" href="${pathOf(id)}">${id}</a></li>`)
  }${ids.length > MAX_LINKS ? markup`<li>… ${ids.length}</li>` : undefined}</ul>`

/** Links to the requests, when callers named them so, and to the subjects of the events. */
const subjects = ({ messages }: PageContext, id: string, events: ReadonlyArray<RecordedEvent>): Content => {
  const requests = [...new Set(events.map(({ metadata }) => metadata.correlationId))]
  const clientIds = [...new Set(events.map(({ metadata }) => metadata.clientRequestId))].filter(isText)
  const idsOf = (field: string) => [...new Set(events.map(({ data }) => data[field]).filter(isText))]
  const jobs = idsOf("jobId")
  // A job's verification has the job's id.
  const verifications = idsOf("verificationId").filter((id) => !jobs.includes(id))
  const rows = [
    ["X-Request-Id", requests.filter((request) => request !== id), requestPath],
    ["X-Client-Request-Id", clientIds.filter((clientId) => clientId !== id), requestPath],
    [messages.batch.title, idsOf("batchId"), (id: string) => pathTo("batches", id)],
    [messages.subject.Job, jobs, (id: string) => pathTo("trail", "job", id)],
    [messages.subject.Verification, verifications, (id: string) => pathTo("trail", "verification", id)],
    [messages.subject.Branch, idsOf("branchId"), (id: string) => pathTo("branches", id)]
  ] as const
  return facts(
    rows.filter(([, ids]) => ids.length > 0).map(([label, ids, pathOf]) => [label, linkList(ids, pathOf)] as const)
  )
}

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
  const hints = nextCursor === null ? [] : [request.more]
  return {
    _tag: "Page",
    title: `${request.title} ${id}`,
    content: markup`<h1>${request.title} ${copyable(context, id)}</h1>${subjects(context, id, events)}${
      timelineCard(messages, events)
    }${eventsCard(messages, events, { hints })}${pager(context, nextCursor)}`
  } satisfies PageResult
})
