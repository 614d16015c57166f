import { Clock, Effect } from "effect"
import type { RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { type StateAt, stateAt } from "../../../application/trail/state-at.ts"
import type { TrailSubject } from "../../../application/trail/trail-subject.ts"
import { trail } from "../../../application/trail/trail.ts"
import { readMoment } from "../../../domain/moment.ts"
import { type Content, type Html, markup } from "../../http/html.ts"
import { copyable } from "../parts.ts"
import { storyView } from "../event-text-view.ts"
import { localTime, timeView } from "../time-view.ts"
import { timelineView } from "../timeline-view.ts"
import { notFoundPage } from "../error-pages.ts"
import { stateView } from "../value-view.ts"
import { type Answer, pathTo, type Visit } from "../page-context.ts"

/** Events that are shown at a time: the latest of them. */
const MOST = 200

type Kind = TrailSubject["_tag"]

const subjectOf = (kind: Kind, [one = "", other = ""]: ReadonlyArray<string>): TrailSubject =>
  kind === "Slip" ? { _tag: kind, sendingBank: one, transRef: other } : { _tag: kind, id: one.toLowerCase() }

const nameOf = (subject: TrailSubject): string =>
  subject._tag === "Slip" ? `${subject.sendingBank}:${subject.transRef}` : subject.id

/** Beyond it a field for dates and times shows nothing. */
const LAST_MOMENT = Date.parse("9999-12-31T23:59:59.999+07:00")

/** The moment of `?at=`: undefined without one, null for what is none. */
const askedAt = (query: URLSearchParams): number | null | undefined => {
  const text = query.get("at") ?? ""
  if (text === "") return undefined
  const at = readMoment(text, "last")?.at
  return at === undefined || at > LAST_MOMENT ? null : at
}

const atOf = ({ metadata }: RecordedEvent): number => Date.parse(metadata.at)

/** The state, to be put in place of another one. */
const statePanel = ({ words }: Visit, state: StateAt | undefined, at: number | null | undefined, now: number): Html => {
  const { subject } = words
  const said: Content = at === null
    ? markup`<p class="wrong" role="alert">${subject.badTime}</p>`
    : markup`<p class="soft">${timeView(words, new Date(at ?? now).toISOString(), "millisecond")}</p>`
  return markup`<div id="state" aria-live="polite">${said}${
    state === undefined ? markup`<p>${subject.unknownAt}</p>` : stateView(words, state)
  }</div>`
}

/** Chooses the moment: by a slider over the events where there is a script, by writing it where there is none. */
const asOfForm = (visit: Visit, times: ReadonlyArray<number>, at: number): Html => {
  const { path, words: { subject } } = visit
  const index = times.findLastIndex((time) => time <= at)
  return markup`<form class="asof" action="${path}" hx-get="${path}" hx-trigger="input delay:150ms, submit"
hx-target="#state" hx-swap="outerHTML" hx-sync="this:replace">
<div class="field slider" hidden><label for="moment">${subject.slider}</label><input id="moment" type="range" min="0" max="${
    Math.max(0, times.length - 1)
  }" step="1" value="${Math.max(0, index)}" data-times="${JSON.stringify(times.map(localTime))}"></div>
<div class="field"><label for="at">${subject.asOf}</label><input id="at" name="at" type="datetime-local" step="0.001" value="${
    localTime(at)
  }"></div>
<div class="row"><button>${subject.show}</button><a class="button" href="${path}">${subject.now}</a></div>
</form>`
}

/** The latest events, all of them where they fit, else those up to the moment that is asked for. */
const shownOf = (events: ReadonlyArray<RecordedEvent>, at: number | undefined) =>
  events.length <= MOST || at === undefined
    ? events.slice(-MOST)
    : events.filter((event) => atOf(event) <= at).slice(-MOST)

/** What happened to a subject, as a story and as a picture, and what it was at any moment. */
export const subjectPage = (kind: Kind) =>
  Effect.fnUntraced(function* (visit: Visit) {
    const { exchange, params, query, words } = visit
    const subject = subjectOf(kind, params)
    const asked = askedAt(query)
    const now = yield* Clock.currentTimeMillis
    const at = asked ?? undefined
    if (exchange.headers["hx-request"] === "true") {
      const state = yield* stateAt(subject, at ?? now)
      return { _tag: "Part", content: statePanel(visit, state, asked, now) } satisfies Answer
    }

    const told = yield* trail(subject).pipe(Effect.catchTag("TrailEmpty", () => Effect.undefined))
    if (told === undefined) return notFoundPage(visit, words.subject.unknown)
    const { events, isTruncated } = told
    const state = yield* stateAt(subject, at ?? now)
    const shown = shownOf(events, at)
    const times = [...new Set(shown.map(atOf))].sort((one, other) => one - other)
    const name = nameOf(subject)
    const content = markup`<h1>${words.subject[kind]} ${copyable(visit, name)}</h1>${
      kind === "Branch" ? markup`<p><a href="${pathTo("branches", name)}">${words.branch.edit}</a></p>` : undefined
    }
<section class="card" aria-labelledby="picture"><h2 id="picture">${words.subject.picture}</h2>${
      timelineView(words, shown, at)
    }<p class="hint">${words.subject.pictureHint}</p></section>
<div class="columns"><section class="card state" aria-labelledby="as-of"><h2 id="as-of">${words.subject.stateTitle}</h2>${
      asOfForm(visit, times, at ?? now)
    }${statePanel(visit, state, asked, now)}</section>
<section class="card" aria-labelledby="story"><h2 id="story">${words.subject.story}</h2>${
      shown.length < events.length
        ? markup`<p class="hint">${words.subject.latest(shown.length, events.length)}</p>`
        : undefined
    }${isTruncated ? markup`<p class="hint">${words.subject.truncated}</p>` : undefined}${
      storyView(words, shown, at)
    }</section></div>`
    return { _tag: "Page", title: `${words.subject[kind]} ${name}`, content } satisfies Answer
  })
