import { formatPosition, type RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { eventText } from "../event-text/event-text.ts"
import { type Content, type Html, markup, raw, type Tone } from "../pages/html.ts"
import { timeView } from "../pages/times.ts"
import type { Messages } from "./messages.ts"
import { pathTo } from "./page-context.ts"
import { payloadView } from "./value-view.ts"

const BAD = /(?:Failed|Rejected|Abandoned|NotFound|Banned|Refused|Deleted|Deactivated|Revoked)$/u
const GOOD = /(?:SlipVerified|JobSucceeded|CallbackDelivered|AccountVerified)$/u

/** How an event looks: whether it is a failure, a success, or neither. */
export const toneOf = ({ type }: RecordedEvent): Tone => BAD.test(type) ? "bad" : GOOD.test(type) ? "good" : "plain"

const anchorOf = ({ position }: RecordedEvent): string => `e${position.commit}`

/** When the event happened, in milliseconds since 1970. */
export const timeOf = ({ metadata }: RecordedEvent): number => Date.parse(metadata.at)

/** A class for events after the selected time `at`, in milliseconds since 1970. */
export const laterClass = (event: RecordedEvent, at: number | undefined): Html =>
  raw(at !== undefined && timeOf(event) > at ? " later" : "")

const actorView = ({ subject }: Messages, { id, kind, operator }: RecordedEvent["metadata"]["actor"]): Content =>
  kind === "branch"
    ? markup`${subject.by.branch} <a class="id" href="${pathTo("branches", id)}">${id.slice(0, 8)}</a>`
    : markup`${subject.by[kind]} <span class="any">${operator === undefined ? id : `${operator} (${id})`}</span>`

/** An event with its data, which opens. */
export const eventView = (messages: Messages, event: RecordedEvent, at: number | undefined): Html => {
  const { data, metadata, position, stream, type } = event
  return markup`<li id="${anchorOf(event)}" class="event ${toneOf(event)}${laterClass(event, at)}" data-at="${
    timeOf(event)
  }"><details><summary><span class="when">${timeView(messages, metadata.at, "millisecond")}</span> <span class="what">${
    eventText(messages.eventTexts, event)
  }</span></summary><div class="payload"><p class="soft"><code>${type}</code> · ${
    actorView(messages, metadata.actor)
  } · <code class="any">${stream}</code> · ${messages.subject.position} <code>${formatPosition(position)}</code></p>${
    payloadView(messages, data)
  }</div></details></li>`
}

const LANE_HEIGHT = 46
/** The line of a lane, below its label. */
const LINE_OFFSET = 30

/** The kind of the stream of an event. */
export const laneOf = ({ stream }: RecordedEvent, { lanes }: Messages): keyof Messages["lanes"] => {
  const kind = stream.slice(0, Math.max(0, stream.indexOf("-")))
  return Object.keys(lanes).find((lane): lane is keyof Messages["lanes"] => lane === kind) ?? "other"
}

/**
 * The horizontal positions of events, in percent. A step grows with the logarithm of the wait, so that milliseconds and
 * days both fit.
 */
export const timelinePositions = (times: ReadonlyArray<number>): ReadonlyArray<number> => {
  const steps = times.map((time, index) =>
    index === 0 ? 0 : 1 + Math.log2(1 + Math.max(0, time - (times[index - 1] ?? time)) / 1_000)
  )
  const total = steps.reduce((sum, step) => sum + step, 0)
  let sum = 0
  return steps.map((step) => {
    sum += step
    return total === 0 ? 50 : 2 + (sum / total) * 96
  })
}

/** Tones differ in shape too, for readers who do not see the colours. */
const shapes: Readonly<Record<Tone, Html>> = {
  bad: raw('<path d="M0-8 8 0 0 8-8 0z"/>'),
  good: raw('<circle r="6.5"/>'),
  plain: raw('<circle r="4.5"/>')
}

/**
 * A line for each kind of stream, with a point for each event that links to the event in the list. Positions are in
 * percent and sizes in pixels, so that the text stays legible on a phone.
 */
const timelineView = (messages: Messages, events: ReadonlyArray<RecordedEvent>, at: number | undefined): Html => {
  const lanes = [...new Set(events.map((event) => laneOf(event, messages)))]
  const positions = timelinePositions(events.map(timeOf))
  const [first] = events
  const last = events.at(-1)
  const label = messages.subject.timelineLabel(events.length, first?.metadata.at ?? "", last?.metadata.at ?? "")
  const lines = lanes.map((lane, index) => {
    const y = index * LANE_HEIGHT + LINE_OFFSET
    return markup`<text x="0" y="${index * LANE_HEIGHT + 12}">${messages.lanes[lane]}</text>
<line x1="0" x2="100%" y1="${y}" y2="${y}"/>`
  })
  const points = events.map((event, index) => {
    const tone = toneOf(event)
    return markup`<svg class="point ${tone}${laterClass(event, at)}" data-at="${timeOf(event)}" x="${
      (positions[index] ?? 0).toFixed(2)
    }%" y="${lanes.indexOf(laneOf(event, messages)) * LANE_HEIGHT + LINE_OFFSET}" overflow="visible"><a href="#${
      anchorOf(event)
    }" tabindex="-1" aria-hidden="true"><title>${eventText(messages.eventTexts, event)}</title>${
      shapes[tone]
    }</a></svg>`
  })
  return markup`<svg class="timeline" width="100%" height="${lanes.length * LANE_HEIGHT}" role="group"
aria-label="${label}">${lines}${points}</svg>`
}

/** The card with the timeline. Events after `at` are pale. */
export const timelineCard = (messages: Messages, events: ReadonlyArray<RecordedEvent>, at?: number): Html => {
  const { timeline, timelineHint } = messages.subject
  return markup`<section class="card" aria-labelledby="timeline"><h2 id="timeline">${timeline}</h2>${
    timelineView(messages, events, at)
  }<p class="hint">${timelineHint}</p></section>`
}
