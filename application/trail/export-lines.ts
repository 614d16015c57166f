import { formatPosition, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Parties } from "./parties.ts"

/** An event as it is exported. */
export interface Told {
  /** As it stands in the log, or with the personal data in it opened. */
  readonly event: RecordedEvent
  /** Who paid whom beside it; undefined: it is not told. */
  readonly parties: Parties | undefined
}

const isNamed = (parties: Parties | undefined): boolean => parties !== undefined && Object.keys(parties).length > 0

/**
 * An event as a line of NDJSON: everything of it that the proofs of the log cover, data and metadata as they stand in
 * the log; beside that, where the lines are not those of the whole log, `masked` parties and of which `export` it is.
 */
export const ndjsonLine = ({ event, parties }: Told, mark: string | undefined): string => {
  const { data, id, metadata, position, revision, stream, type } = event
  const line = { position: formatPosition(position), id, stream, revision, type, data, metadata }
  const beside = isNamed(parties) ? { masked: parties } : {}
  return `${JSON.stringify(mark === undefined ? line : { ...line, ...beside, export: mark })}\n`
}
