import { Effect } from "effect"
import { BenchError } from "../figure.ts"
import type { Answer } from "./messages.ts"
import { payloadOf } from "./rendered.ts"
import type { Side } from "./laps.ts"

/** Larger than every slip number of the load. */
const SLIP = 2_000_000_000

/** Verifies one slip and returns the answer. Call it once per service, as the slip is always the same. */
export const verifyOne = ({ apiKey, port }: Side): Effect.Effect<Answer, BenchError> =>
  Effect.tryPromise({
    try: async () => {
      const response = await fetch(`http://127.0.0.1:${port}/v2/verify/bank`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ payload: payloadOf(SLIP) })
      })
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
      return await response.json() as Answer
    },
    catch: (cause) => new BenchError({ message: `a first slip was not verified: ${String(cause)}` })
  })
