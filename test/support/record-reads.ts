import { Effect } from "effect"
import { HttpIncomingMessage } from "effect/http"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels } from "../../ports/read-models.ts"

/** Authentication reads the caller at times, because it keeps callers for some time. */
const isOfCallers = (read: string): boolean => / branches\./u.test(read)

/**
 * Records what requests to a running service read: the operation and the model or the kind of stream, without ids. The
 * end of the scope restores the stores.
 */
export const recordReads = Effect.gen(function* () {
  const store = yield* EventStore
  const models = yield* ReadModels
  const { readStream } = store
  const { count, get, has, members } = models
  let reads: Array<string> = []

  /** Records reads of requests only. They have the limit of their body in their context, background work has not. */
  const recording = <Rest extends ReadonlyArray<unknown>, A, E, R>(
    read: (name: string, ...rest: Rest) => Effect.Effect<A, E, R>,
    label: (name: string) => string
  ) =>
  (name: string, ...rest: Rest): Effect.Effect<A, E, R> =>
    Effect.withFiber(({ context }) => {
      const isOfRequest = context.mapUnsafe.has(HttpIncomingMessage.MaxBodySize.key)
      if (isOfRequest && !isOfCallers(label(name))) reads.push(label(name))
      return read(name, ...rest)
    })

  yield* Effect.acquireRelease(
    Effect.sync(() => {
      Object.assign(store, { readStream: recording(readStream, (stream) => `read ${stream.split("-", 1)[0]}`) })
      Object.assign(models, {
        count: recording(count, (model) => `count ${model}`),
        get: recording(get, (model) => `get ${model}`),
        has: recording(has, (model) => `has ${model}`),
        members: recording(members, (model) => `members ${model}`)
      })
    }),
    () =>
      Effect.sync(() => {
        Object.assign(store, { readStream })
        Object.assign(models, { count, get, has, members })
      })
  )

  /** Runs an effect and returns its value with the reads that happened meanwhile. */
  return <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      reads = []
      return Effect.map(effect, (value) => ({ value, reads }))
    })
})
