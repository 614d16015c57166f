import { formatPosition, type RecordedEvent } from "../ports/event-store.ts"

/**
 * An event as a line of NDJSON: everything of it that the proofs of the log cover, data and metadata as they stand in
 * the log.
 */
export const ndjsonLine = ({ data, id, metadata, position, revision, stream, type }: RecordedEvent): string =>
  `${JSON.stringify({ position: formatPosition(position), id, stream, revision, type, data, metadata })}\n`
