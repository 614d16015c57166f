import { Effect } from "effect"
import { BenchError } from "../figure.ts"
import type { RunningService } from "../measure/service.ts"
import { median } from "../measure/statistics.ts"

/** Pages that each service answers in a round. */
const PAGES = 50

/** Reads the first page of a branch's verifications some times, one after the other. Returns the median in milliseconds. */
const timeOfPage = ({ apiKey, port }: RunningService) =>
  Effect.tryPromise({
    try: async () => {
      const millis: Array<number> = []
      for (let page = 0; page < PAGES; page++) {
        const started = performance.now()
        const response = await fetch(`http://127.0.0.1:${port}/v2/verifications`, {
          headers: { authorization: `Bearer ${apiKey}` }
        })
        const { data } = await response.json() as { readonly data: { readonly items: ReadonlyArray<unknown> } }
        if (data.items.length !== 50) throw new Error(`expected a full page, got ${data.items.length} items`)
        millis.push(performance.now() - started)
      }
      return median(millis)
    },
    catch: (cause) => new BenchError({ message: `the list of verifications: ${String(cause)}` })
  })

/** The time of a page of verifications on two services, by turns. */
export const compareLists = Effect.fnUntraced(function* (a: RunningService, b: RunningService, rounds: number) {
  const laps: { readonly a: Array<number>; readonly b: Array<number> } = { a: [], b: [] }
  for (let round = 0; round < rounds; round++) {
    laps.a.push(yield* timeOfPage(a))
    laps.b.push(yield* timeOfPage(b))
  }
  return laps
})
