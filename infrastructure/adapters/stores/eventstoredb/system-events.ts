import { Effect } from "effect"
import { CappedMap } from "../../../../domain/capped-map.ts"
import { isSystemEvent, type StoredEvent, type SystemEvent } from "./read-answer.ts"

/** Streams whose system events were logged. */
const MOST_NAMED = 10_000

const whatToDo = ({ stream, type }: SystemEvent): string =>
  type === "$streamDeleted"
    ? `The stream ${stream} was deleted in the event store. The read models keep what they have of it, and requests that need it `
      + "fail. Restore the log from a backup (docs/backup.md)"
    : `The stream ${stream} has the event ${type}, which SlipTrail did not write. It is passed over. Find out who may write to the `
      + "event store"

/** Passes over the events that the server wrote into streams of this log, and names each stream in the log once. */
export const makePassOver = () => {
  const named = new CappedMap<string, true>(MOST_NAMED)
  return (events: ReadonlyArray<StoredEvent>): Effect.Effect<void> => {
    const found = events.filter(isSystemEvent).filter(({ stream, type }) => {
      const key = `${stream} ${type}`
      const isNew = named.get(key) === undefined
      if (isNew) named.set(key, true)
      return isNew
    })
    return found.length === 0
      ? Effect.void
      : Effect.forEach(found, (event) => Effect.logWarning(whatToDo(event)), { discard: true })
  }
}

export type PassOver = ReturnType<typeof makePassOver>
