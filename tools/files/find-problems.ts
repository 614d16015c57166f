import type { Problem, Tree } from "../tree.ts"

/** A longer file of the product usually has more than one purpose. */
export const MAX_LINES = 300

/** A contract suite has one purpose and may be longer. */
export const MAX_TEST_LINES = 400

/** A longer decision has a table for docs/benchmarks.md, or repeats what the code or the specification says. */
export const MAX_DECISION_WORDS = 500

const limitOf = (file: string): number => file.startsWith("test/") ? MAX_TEST_LINES : MAX_LINES

/**
 * Files that are too long, index files, decisions without their parts, performance tricks that no benchmark guards, and
 * addresses that packages were downloaded from.
 */
export const findFileProblems = (tree: Tree): ReadonlyArray<Problem> => {
  const benchmarks = new Set(
    [...tree].filter(([file]) => file.startsWith("bench/"))
      .flatMap(([, text]) => Array.from(text.matchAll(/^ {2}name: "([a-z]+)",$/gmu), ([, name = ""]) => name))
  )
  return [...tree].flatMap(([file, text]) => {
    const lines = text.split("\n")
    return [
      ...hotPathProblems(file, text, benchmarks),
      ...shapeProblems(file, lines),
      ...decisionProblems(file, text),
      ...lines.flatMap((line, index) => lineProblems(file, line, index + 1))
    ]
  })
}

const isProduct = (file: string): boolean => /^(domain|ports|projections|application|infrastructure|sdk)\//u.test(file)

/** A comment that begins with the tag says what the trick costs or saves, and ends with the benchmark that would show its loss. */
const hotPathProblems = (file: string, text: string, benchmarks: ReadonlySet<string>): ReadonlyArray<Problem> => {
  if (!isProduct(file)) return []
  const [, ...marked] = text.split("Hot path: ")
  let line = (text.split("Hot path: ", 1)[0] ?? "").split("\n").length
  return marked.flatMap((after): ReadonlyArray<Problem> => {
    const at = line
    line += after.split("\n").length - 1
    const comment = after.replace(/\n\s*(?:\*|\/\/)/gu, "")
    const [, name = ""] = /^[^\n]*?Guarded by `npm run bench -- ([a-z]+)`/u.exec(comment) ?? []
    return benchmarks.has(name)
      ? []
      : [{ file, line: at, reason: "a hot path names no benchmark: Guarded by `npm run bench -- …`" }]
  })
}

const isSource = (file: string): boolean => /\.([mc]?[jt]s|css|html|sh)$/u.test(file) || file.startsWith(".ci/")

/** Whether a tool of the project writes the file. */
const isWritten = ([first = ""]: ReadonlyArray<string>): boolean => first.startsWith("// Written by `npm run ")

const shapeProblems = (file: string, lines: ReadonlyArray<string>): ReadonlyArray<Problem> => {
  const count = lines.at(-1) === "" ? lines.length - 1 : lines.length
  const problems: Array<Problem> = []
  const limit = limitOf(file)
  if (isSource(file) && !isWritten(lines) && count > limit) {
    problems.push({ file, line: limit + 1, reason: `${count} lines; the limit is ${limit}` })
  }
  if (/(^|\/)index\.[mc]?[jt]s$/u.test(file)) {
    problems.push({ file, line: 1, reason: "no index files: import from the file that declares the name" })
  }
  return problems
}

const PARTS = ["Context", "Decision", "Options that were not taken", "Consequences"]

/** A decision says why, what, and what follows from it. The options that were not taken may be absent. */
const decisionProblems = (file: string, text: string): ReadonlyArray<Problem> => {
  const [, number] = /^docs\/decisions\/(\d{4})-[^/]+\.md$/u.exec(file) ?? []
  if (number === undefined) return []
  const problem = (reason: string): Problem => ({ file, line: 1, reason })
  const words = text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
  const headings = Array.from(text.matchAll(/^## (.+)$/gmu), ([, heading = ""]) => heading)
  const expected = PARTS.filter((part) => headings.includes(part) || part !== PARTS[2])
  return [
    ...text.startsWith(`# ${number}. `) ? [] : [problem(`the title does not begin with "# ${number}. "`)],
    ...headings.join() === expected.join() ? [] : [problem(`the parts are not ${expected.join(", ")}`)],
    ...words <= MAX_DECISION_WORDS ? [] : [problem(`${words} words; the limit is ${MAX_DECISION_WORDS}`)]
  ]
}

/** A lockfile with download addresses, or a setting that names a registry, makes all users depend on one mirror. */
const lineProblems = (file: string, line: string, number: number): ReadonlyArray<Problem> => {
  const problem = (reason: string): ReadonlyArray<Problem> => [{ file, line: number, reason }]
  if (/\.(json|lock)$/u.test(file) && /"resolved":\s*"[^"]*:\/\//u.test(line)) {
    return problem("holds a download address")
  }
  if (/\b(registry|npm)\.[a-z0-9-]+\.[a-z]{2,}\b/iu.test(line)) return problem("names a package registry")
  if (/(^|\/)\.npmrc$/u.test(file) && /^\s*(\S*registry\s*=|\/\/)/u.test(line)) {
    return problem("chooses a package registry, which is up to the machine")
  }
  if (isSource(file) && /\bas\s+unknown\s+as\b/u.test(line)) {
    return problem("a cast by way of unknown switches the type checker off")
  }
  return []
}
