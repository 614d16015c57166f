import { Cause, Effect, Stream } from "effect"

/** Elements of a stream, one after the other, as they are asked for. */
export interface Cursor<A, E> {
  /** The next one, again and again until it is dropped; undefined when there are no more. */
  readonly peek: Effect.Effect<A | undefined, E>
  readonly drop: () => void
}

/** Reads a stream at the pace of whoever looks at it. Lasts as long as its scope. */
export const makeCursor = Effect.fnUntraced(function* <A, E>(stream: Stream.Stream<A, E>) {
  const pull = yield* Stream.toPull(stream)
  let page: ReadonlyArray<A> = []
  let at = 0
  let isOver = false

  const turn = Effect.matchEffect(pull, {
    onSuccess: (next) =>
      Effect.sync(() => {
        page = next
        at = 0
      }),
    onFailure: (error) => {
      if (!Cause.isDone(error)) return Effect.fail(error)
      isOver = true
      return Effect.void
    }
  })

  const cursor: Cursor<A, E> = {
    peek: Effect.gen(function* () {
      while (at >= page.length && !isOver) yield* turn
      return page[at]
    }),
    drop: () => {
      at++
    }
  }
  return cursor
})
