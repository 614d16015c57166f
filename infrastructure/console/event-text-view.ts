import { formatPosition, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { eventText } from "../event-text/event-text.ts"
import { type Content, type Html, markup, raw } from "../http/html.ts"
import { timeView } from "./time-view.ts"
import { payloadView } from "./value-view.ts"
import { pathTo } from "./page-context.ts"
import type { Words } from "./messages/en.ts"

/** An event in a sentence, in the language of the page. */
export const sentenceOf = ({ story }: Words, event: Pick<RecordedEvent, "data" | "type">): string =>
  eventText(story, event)

const BAD = /(?:Failed|Rejected|Abandoned|NotFound|Banned|Refused|Deleted|Deactivated|Revoked)$/u
const GOOD = /(?:SlipVerified|JobSucceeded|CallbackDelivered|AccountVerified)$/u

/** How an event looks: what went wrong differs in shape too, not by its colour alone. */
export const moodOf = ({ type }: Pick<RecordedEvent, "type">): "bad" | "good" | "plain" =>
  BAD.test(type) ? "bad" : GOOD.test(type) ? "good" : "plain"

/** Where in the page an event stands. */
export const anchorOf = ({ position }: Pick<RecordedEvent, "position">): string => `e${position.commit}`

/** Whether an event is later than a moment in milliseconds; without one, none is. */
export const isLater = ({ metadata }: Pick<RecordedEvent, "metadata">, at: number | undefined): boolean =>
  at !== undefined && Date.parse(metadata.at) > at

const actorView = ({ subject }: Words, { id, kind }: RecordedEvent["metadata"]["actor"]): Content =>
  kind === "branch"
    ? markup`${subject.by.branch} <a class="id" href="${pathTo("branches", id)}">${id.slice(0, 8)}</a>`
    : markup`${subject.by[kind]} <span class="any">${id}</span>`

const eventView = (words: Words, event: RecordedEvent, at: number | undefined): Html => {
  const { data, metadata, position, stream, type } = event
  const later = raw(isLater(event, at) ? " later" : "")
  return markup`<li id="${anchorOf(event)}" class="event ${moodOf(event)}${later}" data-at="${
    Date.parse(metadata.at)
  }"><details>
<summary><span class="when">${timeView(words, metadata.at, "millisecond")}</span> <span class="what">${
    sentenceOf(words, event)
  }</span></summary>
<div class="payload"><p class="soft"><code>${type}</code> · ${
    actorView(words, metadata.actor)
  } · <code class="any">${stream}</code> · ${words.subject.position} <code>${formatPosition(position)}</code></p>${
    payloadView(words, data)
  }</div>
</details></li>`
}

/** Everything that happened, oldest first, each with its data to be opened. What is behind `at` is pale. */
export const storyView = (words: Words, events: ReadonlyArray<RecordedEvent>, at: number | undefined): Html =>
  markup`<ol class="story">${events.map((event) => eventView(words, event, at))}</ol>`
