import { Effect } from "effect"
import { formatPosition } from "../../../../../domain/events/recorded-event.ts"
import type { Pending } from "../../../../../domain/log-proof/pending-block.ts"
import type { Following, ProjectedEvents } from "../../../../../ports/log-follower.ts"
import type { ReadModelsError } from "../../../../../ports/read-models.ts"
import type { OnApplied } from "./applying.ts"
import { MOST_EVENTS, type ProjectedOfModel } from "./follow-log.ts"
import type { Listeners } from "./listeners.ts"
import { failed, type OpenFile } from "./open-file.ts"
import { readPosition } from "./tables.ts"

/** Follows the log in the thread. It is ready when the thread runs and can read the log. */
export const makeFollowing = (
  { orReplace, tables, writer }: OpenFile,
  listeners: Listeners,
  onApplied: OnApplied
): Following => {
  const projected = (model: string, answer: ProjectedOfModel): ProjectedEvents | undefined => {
    if (answer._tag === "poison") return undefined
    if (answer._tag === "failed") throw new Error(answer.message)
    const { events, handled, outcome, writes, written } = answer
    const upTo = readPosition(answer.upTo)
    if (outcome?.applied === true) onApplied(model, upTo, writes, written)
    return { upTo, events, handled, checkpoint: outcome === undefined ? undefined : readPosition(outcome.current) }
  }

  /** The thread may have died after its commit. The file may be closed or damaged. */
  const readAgain = (model: string) => {
    try {
      listeners.get(model)?.replaced(tables())
    } catch {
      // The model is built anew, and its shadow replaces it.
    }
  }

  return {
    isReady: () => writer.canFollow && writer.isReady(),
    limit: MOST_EVENTS,
    project: ({ after, from, model }) => {
      const next = { model, after: formatPosition(after), from: formatPosition(from) }
      const wantsWrites = listeners.has(model)
      return orReplace(
        Effect.callback<ProjectedEvents | undefined, ReadModelsError>((resume) =>
          writer.project({ ...next, wantsWrites }, (answer) => {
            // Also when the caller was interrupted: listeners need every batch.
            try {
              if (answer instanceof Error) throw answer
              resume(Effect.succeed(projected(model, answer)))
            } catch (cause) {
              readAgain(model)
              resume(Effect.fail(failed("project")(cause)))
            }
          })
        )
      )
    },
    extend: (pending, due) =>
      Effect.callback<Pending, ReadModelsError>((resume) =>
        writer.extend(
          { pending, due },
          (answer) => resume(answer instanceof Error ? Effect.fail(failed("extend")(answer)) : Effect.succeed(answer))
        )
      )
  }
}
