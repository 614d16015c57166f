import type { Complaint, Tree } from "../tree.ts"

/** A file of the product that is longer holds more than one idea. */
export const MAX_LINES = 300

/** A contract suite is one idea and may be longer. */
export const MAX_TEST_LINES = 400

const limitOf = (file: string): number => file.startsWith("test/") ? MAX_TEST_LINES : MAX_LINES

/** Source files that are too long, barrels, and traces of where packages were downloaded from. */
export const judgeFiles = (tree: Tree): ReadonlyArray<Complaint> =>
  [...tree].flatMap(([file, text]) => {
    const lines = text.split("\n")
    return [...judgeShape(file, lines), ...lines.flatMap((line, index) => judgeLine(file, line, index + 1))]
  })

const isSource = (file: string): boolean => /\.([mc]?[jt]s|css|html|sh)$/u.test(file) || file.startsWith(".ci/")

const judgeShape = (file: string, lines: ReadonlyArray<string>): ReadonlyArray<Complaint> => {
  const count = lines.at(-1) === "" ? lines.length - 1 : lines.length
  const complaints: Array<Complaint> = []
  const limit = limitOf(file)
  if (isSource(file) && count > limit) {
    complaints.push({ file, line: limit + 1, reason: `${count} lines; the limit is ${limit}` })
  }
  if (/(^|\/)index\.[mc]?[jt]s$/u.test(file)) {
    complaints.push({ file, line: 1, reason: "no index files: import from the file that declares the name" })
  }
  return complaints
}

/** A lockfile with download addresses, or a setting that names a registry, binds everyone to one machine's mirror. */
const judgeLine = (file: string, line: string, number: number): ReadonlyArray<Complaint> => {
  const complaint = (reason: string): ReadonlyArray<Complaint> => [{ file, line: number, reason }]
  if (/\.(json|lock)$/u.test(file) && /"resolved":\s*"[^"]*:\/\//u.test(line)) {
    return complaint("holds a download address")
  }
  if (/\b(registry|npm)\.[a-z0-9-]+\.[a-z]{2,}\b/iu.test(line)) return complaint("names a package registry")
  if (/(^|\/)\.npmrc$/u.test(file) && /^\s*(\S*registry\s*=|\/\/)/u.test(line)) {
    return complaint("chooses a package registry, which is up to the machine")
  }
  if (isSource(file) && /\bas\s+unknown\s+as\b/u.test(line)) {
    return complaint("a cast by way of unknown switches the type checker off")
  }
  return []
}
