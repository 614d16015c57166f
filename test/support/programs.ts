import { accessSync, constants, readFileSync } from "node:fs"
import { delimiter, join } from "node:path"

/** A program that tests start, besides Node and a POSIX shell with its usual commands. */
export interface Program {
  /** The Debian package that brings it. */
  readonly package: string
  /** Its names. Any of them will do. */
  readonly names: ReadonlyArray<string>
}

/** Lines of the form `package name name`. */
export const parsePrograms = (text: string): ReadonlyArray<Program> =>
  text.trim().split("\n").map((line) => {
    const [package_ = "", ...names] = line.trim().split(/\s+/u)
    return { package: package_, names }
  })

/** The programs that `.ci/run` installs. */
export const programs = parsePrograms(readFileSync(new URL("programs.txt", import.meta.url), "utf8"))

/** Whether a missing program fails its tests: `CI` is set, and is neither `false` nor `0`. */
export const areAllNeeded = (ci: string | undefined): boolean => !["", "0", "false"].includes((ci ?? "").toLowerCase())

/** The command that installs packages. */
export const installation = (packages: ReadonlyArray<string>): string => `apt-get install ${packages.join(" ")}`

/** The package of a program. */
export const packageOf = (name: string): string => programOf(name).package

/** Where a program is; undefined when it is missing. */
export const pathOf = (name: string): string | undefined =>
  programOf(name).names.flatMap((one) =>
    (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, one))
  )
    .find(isExecutable)

/** By its first name. */
const programOf = (name: string): Program => {
  const program = programs.find(({ names }) => names[0] === name)
  if (program === undefined) throw new Error(`programs.txt does not list ${name}`)
  return program
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
