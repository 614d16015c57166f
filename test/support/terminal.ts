import { stripVTControlCharacters } from "node:util"
import { requireProgram } from "./require-program.ts"

/** A wrapper that runs a command with a pseudo terminal as its standard output and error. */
export const inTerminal = (): ReadonlyArray<string> => [
  requireProgram("python3"),
  "-c",
  "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
]

/** The text without colors, as a pipe would get it. */
export const plainText = (text: string): string => stripVTControlCharacters(text).replaceAll("\r\n", "\n")
