import { Effect } from "effect"
import { formatPosition } from "../../domain/events/recorded-event.ts"
import type { AuditAct } from "./audit.ts"
import { listAudit } from "./audit.ts"

/** Subjects read at a time. */
const CONCURRENCY = 10

/** The subjects of one question. A slip may have more verifications; the list then says that it is not complete. */
export const MAX_SUBJECTS = 60

/**
 * The newest acts of operators about several subjects that belong together, such as a slip, its verifications and its
 * jobs: newest first, each act once.
 */
export const actsAbout = Effect.fn("actsAbout")(function* (subjects: ReadonlyArray<string>, limit: number) {
  const filter = { operator: undefined, kind: undefined, from: undefined, to: undefined }
  const pages = yield* Effect.forEach(
    [...new Set(subjects)].slice(0, MAX_SUBJECTS),
    (subject) => listAudit({ ...filter, subject, limit }),
    { concurrency: CONCURRENCY }
  )
  const acts = new Map(
    pages.flatMap(({ items }) => items).map((act): [string, AuditAct] => [formatPosition(act.event.position), act])
  )
  const newest = [...acts.values()].sort((one, other) =>
    Date.parse(other.event.metadata.at) - Date.parse(one.event.metadata.at)
  )
  return {
    acts: newest.slice(0, limit),
    /** Whether there are further acts about the subjects that were read. */
    hasMore: newest.length > limit || pages.some(({ nextCursor }) => nextCursor !== null),
    /** Whether all subjects were read. */
    isComplete: subjects.length <= MAX_SUBJECTS
  }
})
