import { Clock, Effect } from "effect"
import { type StateAt, stateAt } from "../../../application/trail/state-at.ts"
import { trail, type TrailSubject } from "../../../application/trail/trail.ts"
import { bangkokDateTime, parseTimeInBangkok } from "../../../domain/time.ts"
import { type Content, type Html, markup } from "../../pages/html.ts"
import { pageOf } from "../../http/page.ts"
import { copyable, pager } from "../components.ts"
import { timeView } from "../../pages/times.ts"
import { FRAGMENT_HEADER } from "../console-auth.ts"
import { notFoundPage } from "../error-pages.ts"
import { eventsCard, timelineCard, timeOf } from "../events-view.ts"
import { type PageContext, type PageResult, pathTo } from "../page-context.ts"
import { stateView } from "../value-view.ts"

/** Events of a page. */
const PAGE = 200

type Kind = TrailSubject["_tag"]

const subjectOf = (kind: Kind, [one = "", other = ""]: ReadonlyArray<string>): TrailSubject =>
  kind === "Slip" ? { _tag: kind, sendingBank: one, transRef: other } : { _tag: kind, id: one.toLowerCase() }

const nameOf = (subject: TrailSubject): string =>
  subject._tag === "Slip" ? `${subject.sendingBank}:${subject.transRef}` : subject.id

/** The latest time that a date and time field can show. */
const MAX_TIME = Date.parse("9999-12-31T23:59:59.999+07:00")

/** The time of `?at=`, in milliseconds since 1970: undefined when it is absent, null when it is not valid. */
const selectedTime = (query: URLSearchParams): number | null | undefined => {
  const text = query.get("at") ?? ""
  if (text === "") return undefined
  const at = parseTimeInBangkok(text, "last")?.at
  return at === undefined || at > MAX_TIME ? null : at
}

/** The content of `#state`, which console.js replaces. */
const statePanel = (
  { messages }: PageContext,
  state: StateAt | undefined,
  at: number | null | undefined,
  now: number
): Html => {
  const { badTime, unknownAt } = messages.subject
  const time: Content = at === null
    ? markup`<p class="error" role="alert">${badTime}</p>`
    : markup`<p class="soft">${timeView(messages, new Date(at ?? now).toISOString(), "millisecond")}</p>`
  return markup`${time}${state === undefined ? markup`<p>${unknownAt}</p>` : stateView(messages, state)}`
}

/** Selects the time: with a slider over the events, or in a field. The slider needs the script. */
const timeForm = ({ messages: { subject }, path }: PageContext, times: ReadonlyArray<number>, at: number): Html => {
  const index = Math.max(0, times.findLastIndex((time) => time <= at))
  return markup`<form class="time" action="${path}">
<div class="field slider" hidden><label for="moment">${subject.slider}</label><input id="moment" type="range" min="0" max="${
    Math.max(0, times.length - 1)
  }" step="1" value="${index}" data-times="${JSON.stringify(times)}"></div>
<div class="field"><label for="at">${subject.time}</label><input id="at" name="at" type="datetime-local" step="0.001" value="${
    bangkokDateTime(at)
  }"></div>
<div class="row"><button>${subject.show}</button><a class="button" href="${path}">${subject.now}</a></div>
</form>`
}

/** The events of a subject, its timeline, and its state at a time. */
export const subjectPage = (kind: Kind) =>
  Effect.fnUntraced(function* (context: PageContext) {
    const { exchange, messages, params, query } = context
    const { subject: text } = messages
    const subject = subjectOf(kind, params)
    const selected = selectedTime(query)
    const now = yield* Clock.currentTimeMillis
    const at = selected ?? undefined
    if (exchange.headers[FRAGMENT_HEADER] !== undefined) {
      const state = yield* stateAt(subject, at ?? now)
      return { _tag: "Fragment", content: statePanel(context, state, selected, now) } satisfies PageResult
    }

    const { cursor } = yield* pageOf(exchange)
    const found = yield* trail(subject, { cursor, limit: PAGE, upTo: undefined }).pipe(
      Effect.catchTag(["TrailEmpty", "CursorUnknown"], () => Effect.undefined)
    )
    if (found === undefined) return notFoundPage(context, text.unknown)
    const { events, nextCursor } = found
    const state = yield* stateAt(subject, at ?? now)
    const times = [...new Set(events.map(timeOf))].sort((one, other) => one - other)
    const name = nameOf(subject)
    const branchLink = kind === "Branch"
      ? markup`<p><a href="${pathTo("branches", name)}">${messages.branch.edit}</a></p>`
      : undefined
    const hints = nextCursor === null ? [] : [text.more]
    const content = markup`<h1>${text[kind]} ${copyable(context, name)}</h1>${branchLink}${
      timelineCard(messages, events, at)
    }<div class="columns"><section class="card state" aria-labelledby="state-title"><h2 id="state-title">${text.stateTitle}</h2>${
      timeForm(context, times, at ?? now)
    }<div id="state" aria-live="polite">${statePanel(context, state, selected, now)}</div></section>${
      eventsCard(messages, events, { at, hints })
    }</div>${pager(context, nextCursor)}`
    return { _tag: "Page", title: `${text[kind]} ${name}`, content } satisfies PageResult
  })
