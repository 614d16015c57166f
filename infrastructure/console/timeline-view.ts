import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { type Html, markup, raw } from "../http/html.ts"
import { anchorOf, isLater, moodOf, sentenceOf } from "./event-text-view.ts"
import type { Words } from "./messages/en.ts"

const LANE_HEIGHT = 46
/** Of a lane's line below its top, which has its name. */
const LINE = 30

const laneOf = ({ stream }: RecordedEvent, { lanes }: Words): keyof Words["lanes"] => {
  const kind = stream.slice(0, Math.max(0, stream.indexOf("-")))
  return Object.keys(lanes).find((lane): lane is keyof Words["lanes"] => lane === kind) ?? "other"
}

const atOf = ({ metadata }: RecordedEvent): number => Date.parse(metadata.at)

/**
 * Where the events stand from left to right, in percent. The steps between them grow with the logarithm of the wait:
 * what happened within a millisecond is still told apart, and a day of waiting does not push it all into one point.
 */
export const placesOf = (times: ReadonlyArray<number>): ReadonlyArray<number> => {
  const steps = times.map((time, index) =>
    index === 0 ? 0 : 1 + Math.log2(1 + Math.max(0, time - (times[index - 1] ?? time)) / 1_000)
  )
  const whole = steps.reduce((sum, step) => sum + step, 0)
  let sum = 0
  return steps.map((step) => {
    sum += step
    return whole === 0 ? 50 : 2 + (sum / whole) * 96
  })
}

const percent = (place: number): string => `${place.toFixed(2)}%`

const shapes = {
  bad: raw('<path d="M0-8 8 0 0 8-8 0z"/>'),
  good: raw('<circle r="6.5"/>'),
  plain: raw('<circle r="4.5"/>')
}

/** The events as points on a line for each kind of stream; a point leads to its event in the story. */
export const timelineView = (words: Words, events: ReadonlyArray<RecordedEvent>, at: number | undefined): Html => {
  const lanes = [...new Set(events.map((event) => laneOf(event, words)))]
  const places = placesOf(events.map(atOf))
  const [first] = events
  const last = events.at(-1)
  const label = words.subject.pictureOf(events.length, first?.metadata.at ?? "", last?.metadata.at ?? "")

  // Places are in percent of the width and sizes in pixels: so the picture fits a phone and its text stays readable.
  return markup`<svg class="timeline" width="100%" height="${
    lanes.length * LANE_HEIGHT
  }" role="group" aria-label="${label}">${
    lanes.map((lane, index) =>
      markup`<text x="0" y="${index * LANE_HEIGHT + 12}">${words.lanes[lane]}</text><line x1="0" x2="100%" y1="${
        index * LANE_HEIGHT + LINE
      }" y2="${index * LANE_HEIGHT + LINE}"/>`
    )
  }${
    events.map((event, index) => {
      const y = lanes.indexOf(laneOf(event, words)) * LANE_HEIGHT + LINE
      const mood = moodOf(event)
      return markup`<svg class="point ${mood}${raw(isLater(event, at) ? " later" : "")}" data-at="${atOf(event)}" x="${
        percent(places[index] ?? 0)
      }" y="${y}" overflow="visible"><a href="#${anchorOf(event)}" tabindex="-1" aria-hidden="true"><title>${
        sentenceOf(words, event)
      }</title>${shapes[mood]}</a></svg>`
    })
  }</svg>`
}
