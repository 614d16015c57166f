import { Console } from "effect"

/** Prints a value for machines: one JSON document. */
export const printJson = (value: unknown) => Console.log(JSON.stringify(value, undefined, 2))

const width = (cell: string): number =>
  // Thai vowels and tone marks above or below a letter take no column.
  cell.replaceAll(/[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]/gu, "").length

/** Prints rows for people, columns aligned, with a line of headings. */
export const printTable = (headings: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) => {
  const lines = [headings, ...rows]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => width(line[column] ?? ""))))
  const text = lines.map((line) =>
    line.map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - width(cell))).join("  ").trimEnd()
  )
  return Console.log(text.join("\n"))
}
