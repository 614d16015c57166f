import { Effect } from "effect"
import { cannotRun, type CommandFailed } from "./exit.ts"

/**
 * Makes the check of the cursors of one list. It fails with a cursor that the list gave before: following it would read the
 * same pages for ever. The service of `--url` can be of another version, or a proxy can answer in its place.
 */
export const makeCursorCheck = () => {
  const seen = new Set<string>()
  return (cursor: string): Effect.Effect<string, CommandFailed> => {
    if (seen.has(cursor)) {
      return Effect.fail(cannotRun(
        "the list does not end: the service gave the same cursor twice. Use the command line of the same version as the "
          + "service, and check that no proxy between them answers from a cache"
      ))
    }
    seen.add(cursor)
    return Effect.succeed(cursor)
  }
}
