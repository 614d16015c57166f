import { Console, Effect } from "effect"
import type { Page } from "../../../projections/engine/page.ts"
import { visibleLine, visibleText } from "../../platform/visible-text.ts"
import { painted, type Tone, type Toned, toned } from "./colors.ts"
import { cannotRun, type CommandFailed } from "./exit.ts"

/** Prints one JSON document. */
export const printJson = (value: unknown) => Console.log(visibleText(JSON.stringify(value, undefined, 2)))

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

export type Cell = string | Toned

const textOf = (cell: Cell): string => visibleLine(typeof cell === "string" ? cell : cell.text)

const toneOf = (cell: Cell): Tone | undefined => typeof cell === "string" ? undefined : cell.tone

/** The tone is painted around the text, so that it changes no width. */
const paddedCell = (cell: Cell, to: number, isLast: boolean): string => {
  const text = textOf(cell)
  const space = isLast ? "" : padded(text, to).slice(text.length)
  return painted(text === "" ? undefined : toneOf(cell), text) + space
}

const aligned = (lines: ReadonlyArray<ReadonlyArray<Cell>>): string => {
  const columns = Math.max(0, ...lines.map((line) => line.length))
  const widths = Array.from({ length: columns }, (_, column) => widest(lines.map((line) => textOf(line[column] ?? ""))))
  return lines
    .map((line) => {
      const last = line.findLastIndex((cell) => textOf(cell) !== "")
      return line.slice(0, last + 1)
        .map((cell, column) => paddedCell(cell, widths[column] ?? 0, column === last)).join("  ").trimEnd()
    })
    .join("\n")
}

/** Prints rows in aligned columns under a line of headings. */
export const printTable = (headings: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<Cell>>) =>
  Effect.suspend(() => Console.log(aligned([headings.map((heading) => toned("heading", heading)), ...rows])))

export type Field = readonly [name: string, value: Cell]

/** The field of a value; none without a value. */
export const fieldOf = <A>(
  name: string,
  value: A | null | undefined,
  textOf: (value: A) => string
): ReadonlyArray<Field> => value === null || value === undefined ? [] : [[name, textOf(value)]]

/** An amount in baht, such as `1,500.50 baht`. */
export const formatBaht = (amount: number): string =>
  `${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })} baht`

/** The properties of a row that a cell can hold as they are. */
type TextKey<Row> = {
  [Key in keyof Row]: Row[Key] extends string | number | null | undefined ? Key : never
}[keyof Row]

/** The columns of a table, or the fields of one row, by heading. Each is a property of the row, or made from the row. */
export type Columns<Row> = Readonly<Record<string, TextKey<Row> | ((row: Row) => Cell)>>

/** The fields of a row. Null is an empty text. */
export const fieldsBy = <Row>(columns: Columns<Row>, row: Row): ReadonlyArray<Field> =>
  Object.entries(columns).map(([heading, cell]) => [
    heading,
    typeof cell === "function" ? cell(row) : String(row[cell] ?? "")
  ])

/** Prints rows as a table. */
export const printRows = <Row>(columns: Columns<Row>, rows: ReadonlyArray<Row>) =>
  printTable(Object.keys(columns), rows.map((row) => fieldsBy(columns, row).map(([, cell]) => cell)))

/** Prints each field on its own line. */
export const printFields = (fields: ReadonlyArray<Field>) => Effect.suspend(() => Console.log(aligned(fields)))

/** Prints a line of text in the color of its meaning. */
export const printVerdict = (tone: Tone, text: string) => Effect.suspend(() => Console.log(painted(tone, text)))

/** Prints a value as JSON, or as text for people. */
export const print = <A>(json: boolean, value: A, printText: (value: A) => Effect.Effect<void>): Effect.Effect<void> =>
  json ? printJson(value) : printText(value)

/** Prints a remark to standard error, separate from the data. It can quote a service, so it is escaped. */
export const note = (text: string) => Console.error(visibleText(text))

export const noteShownOnce = note("Save the secrets above now: they are not shown again.")

/** The progress of a long command. Printed to standard error, only on a terminal, and only after one second. */
export interface Progress {
  /** Draws a bar before the text when the part of the whole is known. */
  readonly report: (text: string, done?: number, total?: number) => Effect.Effect<void>
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
    report: (next, done, total) =>
      Effect.sync(() => {
        text = done === undefined || total === undefined ? next : `${progressBar(done, total)}  ${next}`
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

/**
 * Makes the check of the cursors of one list. It fails with a cursor that the list gave before: following it would read the
 * same pages for ever. The service of `--url` can be of another version, or a proxy can answer in its place.
 */
const makeCursorCheck = () => {
  const seen = new Set<string>()
  return (cursor: string): Effect.Effect<string, CommandFailed> => {
    if (seen.has(cursor)) {
      return Effect.fail(cannotRun(
        "the list does not end: the service gave the same cursor twice. Use the command line of the same version as the "
          + "service, and check that no proxy between them answers from a cache"
      ))
    }
    seen.add(cursor)
    return Effect.succeed(cursor)
  }
}

/**
 * The first `limit` rows of a list that is read page by page, and whether there are more. Fails when a cursor comes a second
 * time.
 */
export const firstRows = Effect.fnUntraced(function* <A, E, R>(
  limit: number,
  readPage: (page: { readonly cursor: string | undefined; readonly limit: number }) => Effect.Effect<Page<A>, E, R>
) {
  const items: Array<A> = []
  const checkCursor = makeCursorCheck()
  let cursor: string | undefined
  while (true) {
    const { items: more, nextCursor } = yield* readPage({ cursor, limit: Math.min(PAGE, limit - items.length) })
    items.push(...more)
    if (nextCursor === null || items.length >= limit) return { items, hasMore: nextCursor !== null }
    cursor = yield* checkCursor(nextCursor)
  }
})

export const noteMore = (hasMore: boolean) =>
  hasMore ? note("… there are more rows: use a higher --limit") : Effect.void

export const noteNoService = note("There is no service yet. Create one with: sliptrail service create --name NAME")
