import { Effect, type Scope } from "effect"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { createServer } from "node:net"
import { BenchError } from "../figure.ts"
import { type Program, startProgram } from "./program.ts"

export interface RunningService extends Program {
  readonly port: number
  /** API key of a branch without a limit. */
  readonly apiKey: string
}

export interface ServiceOptions {
  readonly dataDir: string
  /** API key of a branch. Without it, a service is created. */
  readonly apiKey?: string
  /** More settings. Without settings of stores, the service uses the embedded ones. */
  readonly env?: Readonly<Record<string, string>>
  /** Folder for a CPU profile. */
  readonly profile?: string | undefined
  /** How long the service may take until it is ready; 60 seconds. */
  readonly readySeconds?: number
}

/** The admin token of every measured service. */
export const BENCH_ADMIN_TOKEN = "the-admin-token-of-the-bench"

const commandLine = new URL("../../infrastructure/cli/", import.meta.url)

/** The command of `npm start`, so that production options are measured. The launcher keeps the options of Node. */
const startCommand = { script: new URL("sliptrail.mjs", commandLine), args: ["serve"] }

/** The options of the service, for a process that does a part of its work. */
export const serviceOptions = (() => {
  const { environment, flags } = JSON.parse(readFileSync(new URL("service-options.json", commandLine), "utf8")) as {
    readonly environment: Readonly<Record<string, string>>
    readonly flags: ReadonlyArray<string>
  }
  const cache = fileURLToPath(new URL("../../node_modules/.cache/sliptrail", commandLine))
  return { env: { ...environment, NODE_COMPILE_CACHE: cache }, nodeArgs: flags }
})()

/** Runs `serve` in a separate process until the scope closes. Returns when the service is ready. */
export const startService = ({ dataDir, env, profile, readySeconds = 60, ...given }: ServiceOptions): Effect.Effect<
  RunningService,
  BenchError,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const port = yield* freePort
    const program = yield* startProgram({
      ...startCommand,
      nodeArgs: profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`],
      env: {
        DATA_DIR: dataDir,
        PORT: String(port),
        ADMIN_TOKEN: BENCH_ADMIN_TOKEN,
        ALLOW_SANDBOX: "true",
        LOG_LEVEL: "warn",
        LOG_FORMAT: "json",
        // The load sends requests as fast as it can.
        RATE_LIMIT: "0",
        WRONG_KEYS_PER_MINUTE: "0",
        REPEATS_PER_DAY: "0",
        FAILURES_PER_DAY: "0",
        ...env
      },
      // Avoids an `.env` file in the current folder.
      cwd: dataDir
    })
    yield* program.waitForOutput(/SlipTrail listens on/u)
    yield* untilReady(port, readySeconds)
    const apiKey = given.apiKey ?? (yield* createService(port))
    return { ...program, port, apiKey }
  })

/** Waits until the read models have caught up. */
const untilReady = Effect.fnUntraced(function* (port: number, seconds: number) {
  for (let attempt = 0; attempt < 10 * seconds; attempt++) {
    const { status } = yield* Effect.tryPromise({
      try: () => fetch(`http://127.0.0.1:${port}/health/ready`),
      catch: (cause) => new BenchError({ message: `cannot connect to the service: ${String(cause)}` })
    })
    if (status === 200) return
    yield* Effect.sleep("100 millis")
  }
  return yield* new BenchError({ message: `the service is not ready after ${seconds} seconds` })
})

/** Creates a service, and returns the key of its main branch. */
const createService = (port: number) =>
  Effect.tryPromise({
    try: async (): Promise<string> => {
      const answer = await fetch(`http://127.0.0.1:${port}/admin/v1/services`, {
        method: "POST",
        headers: { authorization: `Bearer ${BENCH_ADMIN_TOKEN}`, "content-type": "application/json" },
        body: JSON.stringify({ name: "Bench", quota: null })
      })
      const { data }: { readonly data: { readonly mainBranch: { readonly apiKey: string } } } = await answer.json()
      return data.mainBranch.apiKey
    },
    catch: (cause) => new BenchError({ message: `no service was created: ${String(cause)}` })
  })

/** Waits until no read model lacks more than `lag` events of the log. */
export const untilProjected = Effect.fnUntraced(function* (
  port: number,
  { lag, seconds }: { readonly lag: number; readonly seconds: number }
) {
  for (let attempt = 0; attempt < 10 * seconds; attempt++) {
    const lags = yield* Effect.tryPromise({
      try: () => lagsOf(port),
      catch: (cause) => new BenchError({ message: `the read models could not be asked: ${String(cause)}` })
    })
    if (lags.every((each) => each <= lag)) return
    yield* Effect.sleep("100 millis")
  }
  return yield* new BenchError({ message: `the read models have not caught up after ${seconds} seconds` })
})

const lagsOf = async (port: number): Promise<ReadonlyArray<number>> => {
  const headers = { authorization: `Bearer ${BENCH_ADMIN_TOKEN}` }
  const answer = await fetch(`http://127.0.0.1:${port}/admin/v1/projections`, { headers })
  const { data }: { readonly data: ReadonlyArray<{ readonly lag: number }> } = await answer.json()
  return data.map(({ lag }) => lag)
}

const freePort = Effect.callback<number, BenchError>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})
