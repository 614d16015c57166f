import { Cause, Exit } from "effect"
import { TestRunner } from "vitest"
import { areAllNeeded, installation, packageOf, pathOf, programs } from "./programs.ts"

declare module "vitest" {
  interface TaskMeta {
    /** The program whose absence skipped the test. */
    missingProgram?: string
  }
}

/** A program is missing outside a test, where nothing can be skipped. */
class MissingProgram extends Error {
  readonly program: string

  constructor(program: string) {
    super(`these tests need ${program}: ${installation([packageOf(program)])}`)
    this.program = program
  }
}

/**
 * The path of a program of `programs.txt`. When it is missing, the current test is skipped, and the end of the run reports
 * it (`programs-report.ts`). With `CI=true` the test fails instead. Every start of a program in tests calls this first.
 */
export const requireProgram = (name: string): string => {
  const found = pathOf(name)
  if (found !== undefined) return found
  const test = TestRunner.getCurrentTest()
  if (test === undefined || areAllNeeded(process.env["CI"])) throw new MissingProgram(name)
  test.meta.missingProgram = name
  return test.context.skip(`${name} is missing`)
}

/** Requires the programs that a shell script starts. */
export const requireProgramsOf = (script: string): void => {
  for (const name of programs.flatMap(({ names }) => names.slice(0, 1))) {
    if (new RegExp(String.raw`(?:^|[|;&({])\s*${name}\s`, "mu").test(script)) requireProgram(name)
  }
}

/** What a hook started, for use in a test. A program that the hook missed skips the test. */
export const startedByHook = <A>(exit: Exit.Exit<A>): A => {
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Cause.squash(exit.cause)
  if (failure instanceof MissingProgram) requireProgram(failure.program)
  throw failure
}
