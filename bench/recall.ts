import { Effect, Option, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { SlipReader } from "../ports/slip-reader.ts"
import { layerSlipReader, type SlipReaderOptions } from "../infrastructure/adapters/pictures/slip-reader.ts"

/** How many pictures of a folder a reader reads correctly. Shares are between 0 and 1. */
export interface Recall {
  readonly ordinary: number
  /** Share of the classes that begin with `hard-`. */
  readonly hard: number
  readonly all: number
  /** Number of pictures without a slip (classes that begin with `neg-`) from which a slip was read. */
  readonly negativesRead: number
  /** Number of pictures from which a wrong slip was read. */
  readonly wrong: number
  /** Median time of one picture, read one after the other. The start of the worker is not included. */
  readonly medianMillis: number
}

const Manifest = Schema.fromJsonString(Schema.Struct({
  items: Schema.Array(Schema.Struct({
    file: Schema.String,
    class: Schema.String,
    /** The payload of the slip, or of one of several slips. */
    expected: Schema.optionalKey(Schema.NullOr(Schema.String))
  }))
}))

/** Reads every picture in the folder's `manifest.json`. A picture that can't be read counts as missed. */
export const measureRecall = async (reader: SlipReaderOptions["reader"], folder: string): Promise<Recall> => {
  const manifest = await readFile(join(folder, "manifest.json"), "utf8")
  const { items } = await Schema.decodePromise(Manifest)(manifest)
  const pictures = await Promise.all(
    items.map(async (item) => ({ item, image: await readFile(join(folder, item.file)) }))
  )

  const readings = await Effect.runPromise(
    Effect.gen(function* () {
      const { read } = yield* SlipReader
      const first = pictures[0]
      if (first !== undefined) yield* Effect.exit(read(first.image, "bench"))
      return yield* Effect.forEach(pictures, ({ image, item }) =>
        Effect.gen(function* () {
          const started = performance.now()
          const reading = yield* Effect.option(read(image, "bench"))
          const texts = Option.getOrUndefined(reading)?.slips.map(({ text }) => text) ?? []
          return { item, texts, millis: performance.now() - started }
        }))
    }).pipe(Effect.provide(layerSlipReader({ reader, workers: 1 })))
  )

  const isRight = ({ item, texts }: Reading) => texts.some((text) => text === item.expected)
  const share = (among: ReadonlyArray<Reading>) => among.length === 0 ? 0 : among.filter(isRight).length / among.length
  const negatives = readings.filter(({ item }) => item.class.startsWith("neg-"))
  const positives = readings.filter(({ item }) => !item.class.startsWith("neg-"))
  const millis = readings.map((reading) => reading.millis).sort((a, b) => a - b)
  return {
    ordinary: share(positives.filter(({ item }) => !item.class.startsWith("hard-"))),
    hard: share(positives.filter(({ item }) => item.class.startsWith("hard-"))),
    all: share(positives),
    negativesRead: negatives.filter(({ texts }) => texts.length > 0).length,
    wrong: positives.filter((reading) => reading.texts.length > 0 && !isRight(reading)).length,
    medianMillis: millis[Math.floor(millis.length / 2)] ?? 0
  }
}

interface Reading {
  readonly item: (typeof Manifest.Type)["items"][number]
  readonly texts: ReadonlyArray<string>
}
