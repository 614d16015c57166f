import { Effect } from "effect"
import { BenchError, checkedFinding, type Figure, infoFinding } from "../figure.ts"
import { median, sum } from "../measure/statistics.ts"
import { measureRecall, type Recall } from "../recall.ts"
import { slipPictures } from "./folder.ts"
import { readHere, readInOnePass } from "./this-thread.ts"

const ROUNDS = 3

/** Measures the slip readers: the native reader's time compared with its own parts, and the recall of both readers. */
export const reader: Figure = {
  name: "reader",
  about: "Reading slip pictures, compared with one pass of sharp and zxing-wasm over the same pictures",
  run: Effect.fnUntraced(function* (options) {
    const { folder, hasHard, isSmall, ordinary } = yield* slipPictures(options)
    const times = yield* attempt(() => compare(ordinary))
    const native = yield* attempt(() => measureRecall("native", folder))
    const portable = yield* attempt(() => measureRecall("portable", folder))
    const ratios = times.map(({ native, onePass }) => native / onePass)
    return [
      checkedFinding(
        {
          what: `native, ${ordinary.length} ordinary pictures`,
          measured: `${mean(times.map((time) => time.native)).toFixed(1)} ms per picture`,
          baseline: `${mean(times.map((time) => time.onePass)).toFixed(1)} ms per picture`
        },
        sum(times.map((time) => time.native)) / sum(times.map((time) => time.onePass)),
        { atMost: 1.3 }
      ),
      // A dozen pictures have no stable median.
      isSmall
        ? infoFinding({ what: "the median picture", measured: "" }, median(ratios))
        : checkedFinding({ what: "the median picture", measured: "" }, median(ratios), { atMost: 1 }),
      ...recallOf("native", native, hasHard, 90),
      ...recallOf("portable", portable, hasHard, 84),
      infoFinding({
        what: "pictures",
        measured: isSmall ? "the small folder of the tests; use --slips FOLDER for another" : "the given folder"
      })
    ]
  })
}

interface Times {
  /** Milliseconds. */
  readonly native: number
  readonly onePass: number
}

/** Runs both in this thread, in turns. Returns the median of the rounds for each picture. */
const compare = async (pictures: ReadonlyArray<Uint8Array>): Promise<ReadonlyArray<Times>> => {
  const times: Array<Times> = []
  for (const picture of pictures) {
    const laps: Array<Times> = []
    for (let round = 0; round <= ROUNDS; round++) {
      const native = await millis(() => readHere(picture))
      const onePass = await millis(() => readInOnePass(picture))
      // The first pictures warm up code and memory.
      if (round > 0) laps.push({ native, onePass })
    }
    times.push({ native: median(laps.map((lap) => lap.native)), onePass: median(laps.map((lap) => lap.onePass)) })
  }
  return times
}

const recallOf = (kind: string, recall: Recall, hasHard: boolean, least: number) => [
  checkedFinding(
    {
      what: `${kind}, slips read`,
      measured: [
        `ordinary ${percent(recall.ordinary)}`,
        ...(hasHard ? [`hard ${percent(recall.hard)}`] : []),
        `median ${recall.medianMillis.toFixed(0)} ms`
      ].join(", ")
    },
    recall.all * 100,
    { atLeast: least },
    "%"
  ),
  checkedFinding(
    { what: `${kind}, wrong payloads`, measured: `${recall.negativesRead} payloads read from pictures without a slip` },
    recall.wrong,
    {
      atMost: 0
    },
    "wrong"
  )
]

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

const mean = (numbers: ReadonlyArray<number>): number => sum(numbers) / numbers.length

const millis = async (run: () => Promise<unknown>): Promise<number> => {
  const started = performance.now()
  await run()
  return performance.now() - started
}

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, BenchError> =>
  Effect.tryPromise({ try: run, catch: (cause) => new BenchError({ message: String(cause) }) })
