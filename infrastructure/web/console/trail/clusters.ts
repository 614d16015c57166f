import type { RecordedEvent } from "../../../../domain/events/recorded-event.ts"
import { eventText } from "../../event-text/event-text.ts"
import { type Html, markup } from "../../pages/html.ts"
import { timeView } from "../../pages/times.ts"
import { eventView, laneOf, laterClass, timeOf, toneOf } from "../events-view.ts"
import type { Messages } from "../messages.ts"

/** Events of one step: of one stream, that go back to one request. Or single events of one kind and one actor. */
export type Cluster = readonly [first: RecordedEvent, ...rest: ReadonlyArray<RecordedEvent>]

/** Groups clusters by a key, in the order of their first events. */
const grouped = (clusters: ReadonlyArray<Cluster>, keyOf: (cluster: Cluster) => string): ReadonlyArray<Cluster> => {
  const groups = new Map<string, Array<RecordedEvent>>()
  for (const cluster of clusters) {
    const key = keyOf(cluster)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [...cluster])
    else group.push(...cluster)
  }
  return [...groups.values()].flatMap(([first, ...rest]): ReadonlyArray<Cluster> =>
    first === undefined ? [] : [[first, ...rest]]
  )
}

const kindOfStream = ({ stream }: RecordedEvent): string => stream.slice(0, Math.max(0, stream.indexOf("-")))

/**
 * The events as clusters, in the order of their first events. A shop that verifies a slip a thousand times makes one
 * cluster, although each time is a request of its own.
 */
export const clustersOf = (events: ReadonlyArray<RecordedEvent>): ReadonlyArray<Cluster> => {
  const steps = grouped(
    events.map((event): Cluster => [event]),
    ([{ metadata, stream }]) => `${stream} ${metadata.correlationId}`
  )
  return grouped(steps, (step) => {
    const [first] = step
    const { metadata: { actor, correlationId }, stream, type } = first
    return step.length === 1
      ? `${kindOfStream(first)} ${type} ${actor.kind} ${actor.id} ${actor.operator ?? ""}`
      : `${stream} ${correlationId}`
  })
}

/** Events that end an attempt of a job. */
const jobAttempts = ["VerificationAttemptFailed", "JobSucceeded"]
const failures = ["VerificationAttemptFailed", "CallbackAttemptFailed", "CallbackRejected"]

/** The attempts in a cluster, and how many failed; undefined for a step without attempts. */
export const attemptsIn = (cluster: Cluster): { readonly attempts: number; readonly failed: number } | undefined => {
  const count = (types: ReadonlyArray<string>) => cluster.filter(({ type }) => types.includes(type)).length
  const isCallback = cluster[0].stream.startsWith("callback-")
  const attempts = count(isCallback ? ["CallbackSent"] : jobAttempts)
  return attempts === 0 ? undefined : { attempts, failed: count(failures) }
}

const clusterView = (messages: Messages, cluster: Cluster, at: number | undefined): Html => {
  const [first] = cluster
  const last = cluster.at(-1) ?? first
  if (cluster.length === 1) return eventView(messages, first, at)
  const { lanes, subject } = messages
  const attempts = attemptsIn(cluster)
  const counts = attempts === undefined
    ? subject.eventCount(cluster.length)
    : subject.attemptCount(attempts.attempts, attempts.failed)
  return markup`<li class="cluster ${toneOf(last)}${laterClass(first, at)}" data-at="${
    timeOf(first)
  }"><details><summary><span class="when">${timeView(messages, first.metadata.at, "millisecond")}</span> <strong>${
    lanes[laneOf(first, messages)]
  }</strong> <span class="tag">${counts}</span> <span class="gist">${
    eventText(messages.eventTexts, last)
  }</span></summary><ol class="events">${cluster.map((event) => eventView(messages, event, at))}</ol></details></li>`
}

/** The card with the events of a page, clustered by step, the oldest first. Events after `at` are pale. */
export const clustersCard = (
  messages: Messages,
  events: ReadonlyArray<RecordedEvent>,
  { at, hints }: { readonly at?: number | undefined; readonly hints: ReadonlyArray<string> }
): Html =>
  markup`<section class="card" aria-labelledby="events"><h2 id="events">${messages.subject.events}</h2>${
    hints.map((hint) => markup`<p class="hint">${hint}</p>`)
  }<ol class="events">${clustersOf(events).map((cluster) => clusterView(messages, cluster, at))}</ol></section>`
