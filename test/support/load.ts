import { Effect, Exit, Fiber } from "effect"
import { type Client, newSlip } from "./client.ts"

/** The answer for one slip. The fields are undefined when the connection broke. */
export interface LoadAnswer {
  readonly payload: string
  readonly status: number | undefined
  readonly code: string | undefined
  readonly verificationId: string | undefined
  readonly isDuplicate: boolean | undefined
}

export interface Load {
  readonly answers: ReadonlyArray<LoadAnswer>
  /** Waits until that many more slips were verified. */
  readonly more: (verified: number) => Effect.Effect<void>
  /** Waits until an answer has this error code. */
  readonly untilCode: (code: string) => Effect.Effect<void>
  /** Waits for the requests in flight, and sends no new ones. */
  readonly stop: Effect.Effect<void>
}

/** The number of concurrent requests. */
const LANES = 6

/** The timeout of a caller: the service answers within 5 seconds, also when an engine is unavailable. */
const TIMEOUT = "5 seconds"

const verify = (client: Client, key: string, payload: string) =>
  Effect.map(Effect.exit(Effect.timeout(client.verify(key, payload), TIMEOUT)), (exit): LoadAnswer => {
    if (Exit.isFailure(exit)) {
      return { payload, status: undefined, code: undefined, verificationId: undefined, isDuplicate: undefined }
    }
    const { data, error, status } = exit.value
    return { payload, status, code: error?.code, verificationId: data?.verificationId, isDuplicate: data?.isDuplicate }
  })

/**
 * Starts callers that verify new slips one after another, with one of the current clients each time. A failed request is
 * repeated once.
 */
export const startLoad = Effect.fnUntraced(function* (
  clients: () => ReadonlyArray<Client>,
  key: string,
  lanes = LANES
) {
  const answers: Array<LoadAnswer> = []
  let isOver = false
  let turn = 0
  const next = (): Client | undefined => clients()[turn++ % Math.max(1, clients().length)]
  const lane = Effect.gen(function* () {
    while (!isOver) {
      const { payload } = newSlip()
      for (let tries = 0; tries < 2; tries++) {
        const client = next()
        if (client === undefined) break
        const answer = yield* verify(client, key, payload)
        answers.push(answer)
        if (answer.status === 200) break
      }
      yield* Effect.sleep("100 millis")
    }
  })
  const fibers = yield* Effect.forEach(Array.from({ length: lanes }), () => Effect.forkScoped(lane))
  const verified = () => answers.filter(({ status }) => status === 200).length
  const waitWhile = (condition: () => boolean) =>
    Effect.whileLoop({ while: condition, body: () => Effect.sleep("10 millis"), step: () => undefined })
  const load: Load = {
    answers,
    more: (count) =>
      Effect.suspend(() => {
        const goal = verified() + count
        return waitWhile(() => verified() < goal)
      }),
    untilCode: (code) => waitWhile(() => !answers.some((one) => one.code === code)),
    stop: Effect.suspend(() => {
      isOver = true
      return Effect.asVoid(Fiber.awaitAll(fibers))
    })
  }
  return load
})
