import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { BenchError } from "../figure.ts"

export interface ProgramOptions {
  readonly script: URL
  readonly args?: ReadonlyArray<string>
  readonly nodeArgs?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Whether messages use structured clone instead of JSON, for example to hold bytes. */
  readonly cloned?: boolean
}

/** A running child process. */
export interface Program {
  readonly pid: number
  /** Waits until its standard output matches the pattern. */
  readonly waitForOutput: (pattern: RegExp) => Effect.Effect<RegExpExecArray, BenchError>
  /** Sends a message and waits for the next message from the process. Only one request may run at a time. */
  readonly request: <A>(message: object) => Effect.Effect<A, BenchError>
  /** Sends SIGTERM and waits until the process has ended. */
  readonly stop: Effect.Effect<void>
}

/** Milliseconds that a process has to end before it gets SIGKILL. */
const STOP_TIMEOUT = 12_000

/** Starts a script on this Node. Of the environment it gets only PATH. It ends with the scope. */
export const startProgram = (options: ProgramOptions): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.sync(() => start(options)), ({ stop }) => stop)

const start = ({ args = [], cloned = false, cwd, env, nodeArgs = [], script }: ProgramOptions): Program => {
  const child = spawn(process.execPath, [...nodeArgs, script.pathname, ...args], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    serialization: cloned ? "advanced" : "json",
    ...(cwd === undefined ? {} : { cwd })
  })
  let out = ""
  let errors = ""
  child.stdout?.setEncoding("utf8").on("data", (text: string) => out += text)
  child.stderr?.setEncoding("utf8").on("data", (text: string) => errors = (errors + text).slice(-4_000))
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()))

  const ended = () => new BenchError({ message: `${script.pathname} ended (${child.exitCode}): ${errors || out}` })
  const orEnded = <A>(register: (resolve: (value: A) => void) => () => void): Effect.Effect<A, BenchError> =>
    Effect.callback((resume) => {
      const settle = (outcome: Effect.Effect<A, BenchError>) => {
        cleanUp()
        resume(outcome)
      }
      const fail = () => settle(Effect.fail(ended()))
      const unregister = register((value) => settle(Effect.succeed(value)))
      const cleanUp = () => {
        unregister()
        child.off("close", fail)
      }
      if (child.exitCode === null) child.once("close", fail)
      else fail()
      return Effect.sync(cleanUp)
    })

  return {
    pid: child.pid ?? -1,
    waitForOutput: (pattern) =>
      orEnded((resolve) => {
        const check = () => {
          const match = pattern.exec(out)
          if (match !== null) resolve(match)
        }
        child.stdout?.on("data", check)
        // Checks the output so far too, but only after this function has returned.
        queueMicrotask(check)
        return () => child.stdout?.off("data", check)
      }),
    request: <A>(message: object) =>
      orEnded<A>((resolve) => {
        const answer = (value: unknown) => resolve(value as A)
        child.once("message", answer)
        child.send(message)
        return () => child.off("message", answer)
      }),
    stop: Effect.promise(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill("SIGTERM")
      const killTimer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT)
      await closed
      clearTimeout(killTimer)
    })
  }
}
