import { Effect } from "effect"
import type { RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { trail } from "../../../application/trail/trail.ts"
import { type Content, markup } from "../../http/html.ts"
import { copyable, facts } from "../parts.ts"
import { storyView } from "../event-text-view.ts"
import { timelineView } from "../timeline-view.ts"
import { notFoundPage } from "../error-pages.ts"
import { type Answer, pathTo, type Visit } from "../page-context.ts"

/** Events that are shown: the first of them. */
const MOST = 200

/** Links of a kind that are shown. */
const MOST_LINKS = 50

/** Not in the path: callers choose these ids, and `..` is one that a browser takes for a way out of a folder. */
export const requestPath = (id: string): string => `/console/request?${new URLSearchParams({ id }).toString()}`

const isText = (value: unknown): value is string => typeof value === "string"

const different = (ids: ReadonlyArray<unknown>): ReadonlyArray<string> => [...new Set(ids.filter(isText))]

/** What the events are about: what else is to be seen of each stands on its own page. */
const subjectsOf = (events: ReadonlyArray<RecordedEvent>) => {
  const idsIn = (field: string) => different(events.map(({ data }) => data[field]))
  const jobs = idsIn("jobId")
  return {
    batches: idsIn("batchId"),
    jobs,
    // The verification of a job has the job's id.
    verifications: idsIn("verificationId").filter((id) => !jobs.includes(id)),
    branches: idsIn("branchId")
  }
}

const links = (ids: ReadonlyArray<string>, placeOf: (id: string) => string): Content =>
  markup`<ul class="values">${
    ids.slice(0, MOST_LINKS).map((id) => markup`<li><a class="id" href="${placeOf(id)}">${id}</a></li>`)
  }${ids.length > MOST_LINKS ? markup`<li>… ${ids.length}</li>` : undefined}</ul>`

const ledTo = ({ words }: Visit, events: ReadonlyArray<RecordedEvent>): Content => {
  const { batches, branches, jobs, verifications } = subjectsOf(events)
  const rows = [
    [words.batch.title, batches, (id: string) => pathTo("batches", id)],
    [words.subject.Job, jobs, (id: string) => pathTo("trail", "job", id)],
    [words.subject.Verification, verifications, (id: string) => pathTo("trail", "verification", id)],
    [words.subject.Branch, branches, (id: string) => pathTo("branches", id)]
  ] as const
  return facts(
    rows.filter(([, ids]) => ids.length > 0).map(([label, ids, placeOf]) => [label, links(ids, placeOf)] as const)
  )
}

/** Everything that a request led to, by the id that stood in its answer. */
export const requestPage = Effect.fnUntraced(function* (visit: Visit) {
  const { query, words } = visit
  const { request, subject } = words
  const id = (query.get("id") ?? "").trim()
  const told = yield* trail({ _tag: "Request", id }).pipe(Effect.catchTag("TrailEmpty", () => Effect.undefined))
  if (told === undefined) return notFoundPage(visit, request.unknown)
  const { events, isTruncated } = told
  const shown = events.slice(0, MOST)
  return {
    _tag: "Page",
    title: `${request.title} ${id}`,
    content: markup`<h1>${request.title} ${copyable(visit, id)}</h1>${ledTo(visit, events)}
<section class="card" aria-labelledby="picture"><h2 id="picture">${subject.picture}</h2>${
      timelineView(words, shown, undefined)
    }<p class="hint">${subject.pictureHint}</p></section>
<section class="card" aria-labelledby="story"><h2 id="story">${subject.story}</h2>${
      shown.length < events.length
        ? markup`<p class="hint">${request.first(shown.length, events.length)}</p>`
        : undefined
    }${isTruncated ? markup`<p class="hint">${request.truncated}</p>` : undefined}${
      storyView(words, shown, undefined)
    }</section>`
  } satisfies Answer
})
