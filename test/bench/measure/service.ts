import { Effect, type Scope } from "effect"
import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import { BenchError } from "../figure.ts"
import { type Program, startProgram } from "./program.ts"

export interface RunningService extends Program {
  readonly port: number
  /** Of the demo branch. */
  readonly apiKey: string
}

export interface ServiceOptions {
  readonly dataDir: string
  /** Of the demo branch, where the folder was in use before: only its first start shows it. */
  readonly apiKey?: string
  /** More settings: the embedded stores, unless they name others. */
  readonly env?: Readonly<Record<string, string>>
  /** Folder for a CPU profile. */
  readonly profile?: string | undefined
}

const project = new URL("../../../", import.meta.url)

/** What `npm start` runs, so that it is measured as it is run: `NAME=value … node --option … script argument …`. */
const startCommand = (() => {
  const { scripts } = JSON.parse(readFileSync(new URL("package.json", project), "utf8")) as {
    readonly scripts: { readonly start: string }
  }
  const words = scripts.start.split(" ")
  const node = words.indexOf("node")
  const script = words.findIndex((word, index) => index > node && !word.startsWith("-"))
  return {
    env: Object.fromEntries(words.slice(0, node).map((word) => word.split("="))),
    nodeArgs: words.slice(node + 1, script),
    script: new URL(words[script] ?? "", project),
    args: words.slice(script + 1)
  }
})()

/** Runs `serve` in a process of its own, for the scope; ready to answer when this returns. */
export const startService = ({ dataDir, env, profile, ...known }: ServiceOptions): Effect.Effect<
  RunningService,
  BenchError,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const port = yield* freePort
    const program = yield* startProgram({
      ...startCommand,
      nodeArgs: [
        ...startCommand.nodeArgs,
        ...(profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`])
      ],
      env: {
        ...startCommand.env,
        DATA_DIR: dataDir,
        PORT: String(port),
        LOG_LEVEL: "warn",
        LOG_FORMAT: "json",
        // Load asks as fast as it can.
        RATE_LIMIT: "0",
        ...env
      },
      // Away from an `.env` of the folder that the benchmark was started in.
      cwd: dataDir
    })
    yield* program.said(/SlipTrail listens on/u)
    yield* untilReady(port)
    const apiKey = known.apiKey ?? (yield* program.said(/API key +(\S+)/u))[1] ?? ""
    return { ...program, port, apiKey }
  })

/** Waits until the read models have caught up. */
const untilReady = Effect.fnUntraced(function* (port: number) {
  for (let attempt = 0; attempt < 600; attempt++) {
    const { status } = yield* Effect.tryPromise({
      try: () => fetch(`http://127.0.0.1:${port}/health/ready`),
      catch: (cause) => new BenchError({ message: `the service is not reached: ${String(cause)}` })
    })
    if (status === 200) return
    yield* Effect.sleep("100 millis")
  }
  return yield* new BenchError({ message: "the service is not ready after a minute" })
})

const freePort = Effect.callback<number, BenchError>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})
