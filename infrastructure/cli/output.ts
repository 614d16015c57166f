import { Console, Effect } from "effect"
import { Directory } from "../../application/provisioning/directory.ts"
import type { Page } from "../../projections/engine/page.ts"
import { visibleLine, visibleText } from "../visible-text.ts"
import type { Call } from "./request.ts"

/** Prints one JSON document. */
export const printJson = (value: unknown) => Console.log(visibleText(JSON.stringify(value, undefined, 2)))

/** Prints items of a JSON array, as `printJson` prints the whole array between its brackets. */
export const printItems = (items: ReadonlyArray<unknown>, isEnd: boolean) => {
  const texts = items.map((item) => JSON.stringify(item, undefined, 2).replaceAll(/^/gmu, "  "))
  return Console.log(visibleText(`${texts.join(",\n")}${isEnd ? "" : ","}`))
}

/** A value as JSON on one line. */
export const jsonLine = (value: unknown): string => visibleText(JSON.stringify(value))

/** A value as a shell reads it. */
export const shellQuoted = (text: string): string =>
  /^[\w./:=-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** The number of columns of a text. Thai vowels and tone marks above or below a letter have no column. */
const width = (cell: string): number => cell.replaceAll(/[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]/gu, "").length

export const padded = (cell: string, to: number): string => cell + " ".repeat(Math.max(0, to - width(cell)))

/** The width of the widest cell. */
export const widest = (cells: ReadonlyArray<string>): number => Math.max(0, ...cells.map(width))

const aligned = (given: ReadonlyArray<ReadonlyArray<string>>): string => {
  const lines = given.map((line) => line.map(visibleLine))
  const columns = Math.max(0, ...lines.map((line) => line.length))
  const widths = Array.from({ length: columns }, (_, column) => widest(lines.map((line) => line[column] ?? "")))
  return lines
    .map((line) => line.map((cell, column) => padded(cell, widths[column] ?? 0)).join("  ").trimEnd())
    .join("\n")
}

/** Prints rows in aligned columns under a line of headings. */
export const printTable = (headings: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  Console.log(aligned([headings, ...rows]))

export type Field = readonly [name: string, value: string]

/** Prints each field on its own line. */
export const printFields = (fields: ReadonlyArray<Field>) => Console.log(aligned(fields))

/** Prints a value as JSON, or as text for people. */
export const print = <A>(json: boolean, value: A, printText: (value: A) => Effect.Effect<void>): Effect.Effect<void> =>
  json ? printJson(value) : printText(value)

/** Prints a remark to standard error, separate from the data. */
export const note = (text: string) => Console.error(text)

export const noteShownOnce = note("Save the secrets above now: they are not shown again.")

/** The progress of a long command. Printed to standard error, only on a terminal, and only after one second. */
export interface Progress {
  readonly report: (text: string) => Effect.Effect<void>
  /** Removes the progress line, so that data can be printed. The next report draws it again. */
  readonly clear: Effect.Effect<void>
}

/** The progress line is removed when the scope closes. */
export const makeProgress = Effect.gen(function* () {
  const { stderr } = process
  let text = ""
  let shown = ""

  const draw = (next: string) => {
    if (next === shown) return
    stderr.write(`\r\u001b[K${next}`)
    shown = next
  }
  if (stderr.isTTY) {
    yield* Effect.sync(() => draw(text)).pipe(
      Effect.andThen(Effect.sleep("200 millis")),
      Effect.forever,
      Effect.delay("1 second"),
      Effect.forkScoped
    )
    yield* Effect.addFinalizer(() => Effect.sync(() => draw("")))
  }

  const progress: Progress = {
    report: (next) =>
      Effect.sync(() => {
        text = next
      }),
    clear: Effect.sync(() => draw(""))
  }
  return progress
})

/** Runs an effect whose progress is not known, and says what the command waits for. */
export const waitFor = <A, E, R>(effect: Effect.Effect<A, E, R>, text: string) =>
  Effect.scoped(Effect.gen(function* () {
    yield* (yield* makeProgress).report(text)
    return yield* effect
  }))

const BAR_WIDTH = 24

/** A progress bar: `[######------------------]  25 %`. */
export const progressBar = (done: number, total: number): string => {
  const fraction = total <= 0 ? 1 : Math.min(1, Math.max(0, done / total))
  const filled = Math.floor(fraction * BAR_WIDTH)
  return `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}] ${String(Math.floor(fraction * 100)).padStart(3)} %`
}

const PAGE = 500

/** The first `limit` rows of a list that is read page by page, and whether there are more. */
export const firstRows = Effect.fnUntraced(function* <A, E, R>(
  limit: number,
  readPage: (page: { readonly cursor: string | undefined; readonly limit: number }) => Effect.Effect<Page<A>, E, R>
) {
  const items: Array<A> = []
  let cursor: string | undefined
  while (true) {
    const page = yield* readPage({ cursor, limit: Math.min(PAGE, limit - items.length) })
    items.push(...page.items)
    cursor = page.nextCursor ?? undefined
    if (cursor === undefined || items.length >= limit) return { items, hasMore: cursor !== undefined }
  }
})

export const noteMore = (hasMore: boolean) =>
  hasMore ? note("… there are more rows: use a higher --limit") : Effect.void

/** All services, oldest first, deleted services included. */
export const allServices = Effect.gen(function* () {
  const directory = yield* Directory
  const { items } = yield* firstRows(Infinity, (page) => directory.services(page))
  return items
})

/** The same of the service of `--url`. */
export const allRemoteServices = (call: Call) =>
  Effect.map(firstRows(Infinity, (query) => call({ name: "listServices", query })), ({ items }) => items)

export const noteNoService = note("There is no service yet. Create one with: sliptrail service create --name NAME")
