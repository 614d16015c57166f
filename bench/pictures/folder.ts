import { Effect, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { BenchError } from "../figure.ts"
import type { Options } from "../options.ts"

/** The pictures of a folder. */
export interface SlipPictures {
  readonly folder: string
  /** Whether it is the small folder of the tests, because no other was given. */
  readonly isSmall: boolean
  /** Pictures of slips in ordinary condition. */
  readonly ordinary: ReadonlyArray<Uint8Array>
  /** Whether the folder has pictures of slips that are hard to read. */
  readonly hasHard: boolean
}

const Manifest = Schema.fromJsonString(Schema.Struct({
  items: Schema.Array(Schema.Struct({ file: Schema.String, class: Schema.String }))
}))

/** Reads the ordinary pictures from the folder in the options, or from the folder of the tests. */
export const slipPictures = ({ slips }: Options): Effect.Effect<SlipPictures, BenchError> =>
  Effect.tryPromise({
    try: async () => {
      const folder = slips ?? fileURLToPath(new URL("../../test/fixtures/slips", import.meta.url))
      const { items } = await Schema.decodePromise(Manifest)(await readFile(join(folder, "manifest.json"), "utf8"))
      const files = items.filter((item) => !/^(hard|neg)-/u.test(item.class)).map(({ file }) => file)
      const ordinary = await Promise.all(files.map((file) => readFile(join(folder, file))))
      const hasHard = items.some((item) => item.class.startsWith("hard-"))
      return { folder, isSmall: slips === undefined, ordinary, hasHard }
    },
    catch: (cause) => new BenchError({ message: `the slip pictures could not be read: ${String(cause)}` })
  })
