import { Effect, Stream } from "effect"
import { FileAnswer } from "./reply.ts"

/**
 * A file that is sent as it is read. A page is read when the caller has taken the one before it, and no more when the
 * connection is gone. An error breaks the connection off, and the log line has its cause.
 */
export const streamedFile = <E, R>(contentType: string, content: Stream.Stream<string, E, R>, requestId: string) =>
  Effect.map(
    Effect.context<R>(),
    (context) =>
      new FileAnswer(
        contentType,
        content.pipe(
          Stream.provideContext(context),
          Stream.tapCause((cause) =>
            Effect.annotateLogs(Effect.logError("A file could not be sent to its end", cause), { requestId })
          ),
          Stream.orDie
        )
      )
  )
