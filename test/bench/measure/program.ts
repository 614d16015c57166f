import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { BenchError } from "../figure.ts"

export interface ProgramOptions {
  readonly script: URL
  readonly args?: ReadonlyArray<string>
  readonly nodeArgs?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Messages hold more than JSON can. */
  readonly cloned?: boolean
}

/** A process that was started from a script. */
export interface Program {
  readonly pid: number
  /** Waits until its standard output matches. */
  readonly said: (pattern: RegExp) => Effect.Effect<RegExpExecArray, BenchError>
  /** Sends it a message and waits for the next one that comes back. One at a time. */
  readonly ask: <A>(message: object) => Effect.Effect<A, BenchError>
  /** Told to end, and gone. */
  readonly stop: Effect.Effect<void>
}

/** How long a process may take to end before it is killed, in milliseconds. */
const PATIENCE = 12_000

/** Starts a script on this Node, with nothing of this environment but PATH; it ends with the scope. */
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
  let complaints = ""
  child.stdout?.setEncoding("utf8").on("data", (text: string) => out += text)
  child.stderr?.setEncoding("utf8").on("data", (text: string) => complaints = (complaints + text).slice(-4_000))
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()))

  const ended = () => new BenchError({ message: `${script.pathname} ended (${child.exitCode}): ${complaints || out}` })
  const orEnded = <A>(register: (resolve: (value: A) => void) => () => void): Effect.Effect<A, BenchError> =>
    Effect.callback((resume) => {
      const settle = (outcome: Effect.Effect<A, BenchError>) => {
        leave()
        resume(outcome)
      }
      const fail = () => settle(Effect.fail(ended()))
      const unregister = register((value) => settle(Effect.succeed(value)))
      const leave = () => {
        unregister()
        child.off("close", fail)
      }
      if (child.exitCode === null) child.once("close", fail)
      else fail()
      return Effect.sync(leave)
    })

  return {
    pid: child.pid ?? -1,
    said: (pattern) =>
      orEnded((resolve) => {
        const look = () => {
          const match = pattern.exec(out)
          if (match !== null) resolve(match)
        }
        child.stdout?.on("data", look)
        // What was said before now is looked at too, once this function has returned.
        queueMicrotask(look)
        return () => child.stdout?.off("data", look)
      }),
    ask: <A>(message: object) =>
      orEnded<A>((resolve) => {
        const answer = (value: unknown) => resolve(value as A)
        child.once("message", answer)
        child.send(message)
        return () => child.off("message", answer)
      }),
    stop: Effect.promise(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill("SIGTERM")
      const overdue = setTimeout(() => child.kill("SIGKILL"), PATIENCE)
      await gone
      clearTimeout(overdue)
    })
  }
}
