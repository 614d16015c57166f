import { assert } from "@effect/vitest"

/** The cells of a line by the names of their columns. */
export type Row = Readonly<Record<string, string>>

/** Reads strictly by RFC 4180: the cells of the first line, and the remaining text. */
export const readLine = (text: string): { readonly cells: ReadonlyArray<string>; readonly rest: string } => {
  const cells: Array<string> = []
  let at = 0
  while (true) {
    let cell = ""
    if (text[at] === '"') {
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (text[at] === '"') at++
        cell += text[at]
      }
      at++
    } else {
      for (; text[at] !== "," && text[at] !== "\r"; at++) cell += text[at]
    }
    cells.push(cell)
    if (text[at] === ",") {
      at++
      continue
    }
    assert.strictEqual(text.slice(at, at + 2), "\r\n")
    return { cells, rest: text.slice(at + 2) }
  }
}

/** The lines of a table after its header. */
export const rowsOf = (text: string): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  const { cells: names, rest } = readLine(text)
  for (let remaining = rest; remaining !== "";) {
    const line = readLine(remaining)
    assert.lengthOf(line.cells, names.length)
    rows.push(Object.fromEntries(names.map((name, index) => [name, line.cells[index] ?? ""])))
    remaining = line.rest
  }
  return rows
}
