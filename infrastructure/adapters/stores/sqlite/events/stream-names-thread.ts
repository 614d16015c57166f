import { serveThread } from "../../../../platform/threads/serve-thread.ts"
import { openForScanning } from "./log-file.ts"
import { type FilterContent, makeStreamBloomFilter } from "./stream-bloom-filter.ts"

// A thread that reads the names of all streams of a large log, and then ends. Its question is the file.

/** Names of one read: no transaction stays open, so the write-ahead log can be moved into the file. */
const PAGE = 1_000

/**
 * Reads the names in the order of their index. Each append looks for its stream in that index, so the system holds it in
 * memory afterwards.
 */
const namesOf = function* (file: string): Generator<string> {
  const db = openForScanning(file)
  try {
    const page = db.prepare("SELECT name FROM streams WHERE name > ? ORDER BY name LIMIT ?")
    for (let last: string | undefined = ""; last !== undefined;) {
      const names: ReadonlyArray<string> = page.all(last, PAGE).map(({ name }) => String(name))
      yield* names
      last = names.at(-1)
    }
  } finally {
    db.close()
  }
}

serveThread<undefined, undefined, string, FilterContent>(() => ({
  ready: undefined,
  answer: (file) => {
    const filter = makeStreamBloomFilter()
    for (const name of namesOf(file)) filter.add(name)
    return filter.content()
  },
  transfer: ({ layers }) => layers.map(({ buffer }) => buffer)
}), { inBackground: true })
