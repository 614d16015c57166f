import { Console, type Effect } from "effect"

/** Prints a value for machines: one JSON document. */
export const printJson = (value: unknown) => Console.log(JSON.stringify(value, undefined, 2))

/** Columns that a text takes: Thai vowels and tone marks above or below a letter take none. */
const width = (cell: string): number => cell.replaceAll(/[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]/gu, "").length

export const padded = (cell: string, to: number): string => cell + " ".repeat(Math.max(0, to - width(cell)))

/** The widest of some cells. */
export const widest = (cells: ReadonlyArray<string>): number => Math.max(0, ...cells.map(width))

const aligned = (lines: ReadonlyArray<ReadonlyArray<string>>): string => {
  const columns = Math.max(0, ...lines.map((line) => line.length))
  const widths = Array.from({ length: columns }, (_, column) => widest(lines.map((line) => line[column] ?? "")))
  const inColumns = (line: ReadonlyArray<string>): string =>
    line.map((cell, column) => padded(cell, widths[column] ?? 0)).join("  ").trimEnd()
  return lines.map(inColumns).join("\n")
}

/** Prints rows for people, columns aligned, with a line of headings. */
export const printTable = (headings: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  Console.log(aligned([headings, ...rows]))

/** One thing that is known of something. */
export type Field = readonly [name: string, value: string]

/** Prints what is known of one thing, a line each. */
export const printFields = (fields: ReadonlyArray<Field>) => Console.log(aligned(fields))

/** Prints an answer for machines or for people, whichever was asked for. */
export const print = <A>(json: boolean, value: A, forPeople: (value: A) => Effect.Effect<void>): Effect.Effect<void> =>
  json ? printJson(value) : forPeople(value)

/** A remark beside the data, on standard error. */
export const note = (text: string) => Console.error(text)

/** For what is kept nowhere in the open and so can't be asked for again. */
export const noteOnce = note("Keep what is secret here now: it is shown this once.")
