import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Text of the project's files by path; paths are relative to the root and written with `/`. */
export type Tree = ReadonlyMap<string, string>

/** A finding of a checker. `line` counts from 1. */
export interface Problem {
  readonly file: string
  readonly line: number
  readonly reason: string
}

/** Reads every file under `root` whose path passes `take`. Skips the folders of git and npm. */
export const readTree = (root: string, take: (path: string) => boolean): Tree => {
  const files = new Map<string, string>()
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name) && path !== "data" && path !== "test/artefacts") walk(path)
      } else if (entry.isFile() && take(path)) {
        files.set(path, readFileSync(join(root, path), "utf8"))
      }
    }
  }
  walk("")
  return files
}

/** Prints the problems in a format that editors parse, and sets the exit code: 1 when there is a problem. */
export const report = (problems: ReadonlyArray<Problem>, whenClean: string): void => {
  for (const { file, line, reason } of problems) process.stdout.write(`${file}:${line}: ${reason}\n`)
  process.stdout.write(problems.length === 0 ? `${whenClean}\n` : `${problems.length} problems\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
}

const skipped = new Set(["node_modules", ".git", "coverage"])
