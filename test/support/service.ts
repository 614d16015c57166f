import { ConfigProvider, Context, Effect, Layer, Logger, References } from "effect"
import { HttpServer } from "effect/http"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { layerService } from "../../infrastructure/runtime/service.ts"
import { readSettings, type Settings } from "../../infrastructure/platform/settings/settings.ts"
import { type Client, makeClient } from "./client.ts"
import { startSliptrail } from "./process.ts"
import { temporaryFolder } from "./temporary-folder.ts"

/** Settings as environment variables. */
export type Env = Readonly<Record<string, string>>

export const ADMIN_TOKEN = "the-admin-token-of-a-test"

const environment = (dataDir: string, env: Env): Env => ({
  HOST: "127.0.0.1",
  PORT: "0",
  DATA_DIR: dataDir,
  ADMIN_TOKEN,
  LOG_FORMAT: "json",
  // Tests send requests without a rate limit, except the tests of the limit.
  RATE_LIMIT: "0",
  // On a slow machine the default limits would end the search for a QR code, with another answer than the expected one.
  PICTURE_TIMEOUT: "5 minutes",
  PICTURE_MAX_WAIT: "5 minutes",
  ...env
})

type Service = ReturnType<typeof layerService>

/** The whole service in this process, with a client and its log lines. */
export class RunningService extends Context.Service<
  RunningService,
  Client & {
    readonly dataDir: string
    /** All log lines so far, as JSON, including debug. */
    readonly logs: ReadonlyArray<string>
  }
>()("test/RunningService") {}

const listening = (dataDir: string, env: Env, logs: ReadonlyArray<string>) =>
  Layer.effect(
    RunningService,
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const port = "port" in address ? address.port : 0
      return RunningService.of({ ...makeClient(`http://127.0.0.1:${port}`, env["ADMIN_TOKEN"] ?? ""), dataDir, logs })
    })
  )

/**
 * Starts the service in a new folder (or in `DATA_DIR`) on a free port. The layer also provides its engines, so that a
 * test can read the log. With `service`, a test composes the service differently.
 */
export const layerRunningService = (env: Env = {}, service: (settings: Settings) => Service = layerService) =>
  Layer.unwrap(Effect.gen(function* () {
    const logs: Array<string> = []
    const given = environment(env["DATA_DIR"] ?? (yield* temporaryFolder), env)
    const settings = yield* readSettings.parse(ConfigProvider.fromEnvRecord(given))
    return listening(settings.dataDir, given, logs).pipe(
      Layer.provideMerge(service(settings)),
      Layer.provide(Layer.mergeAll(
        Logger.layer([Logger.map(Logger.formatJson, (line) => void logs.push(line))]),
        Layer.succeed(References.MinimumLogLevel, "Debug")
      ))
    )
  }))

/** The service as a separate process. */
export interface SpawnedService extends Client {
  readonly dataDir: string
  readonly pid: number
  /** The output so far. */
  readonly output: () => { readonly stdout: string; readonly stderr: string }
  /** Stops or continues the process. */
  readonly signal: (name: "SIGSTOP" | "SIGCONT") => Effect.Effect<void>
  /** Sends a signal and returns the exit code, or null when the signal ended the process. */
  readonly stop: (signal: "SIGTERM" | "SIGKILL") => Effect.Effect<number | null>
}

/** The unexpected lines on a service's standard error: warnings, errors, and other output. */
export const unexpectedLogLines = ({ output }: SpawnedService): ReadonlyArray<string> =>
  output().stderr.split("\n").filter((line) => line !== "" && !/"level":"(?:DEBUG|INFO)"/u.test(line))

const whenListening = (child: ChildProcess, output: { stdout: string; stderr: string }): Promise<string> =>
  new Promise((resolve, reject) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => output.stderr += text)
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output.stdout += text
      const url = /listens on (\S+?),/u.exec(output.stdout)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once("close", (code) => reject(new Error(`the service ended with ${code}: ${output.stderr}`)))
  })

/**
 * Starts the service as a process, on the runtime of the test, and waits until it listens. After it has stopped, it can
 * be started again on the same folder. The end of the scope kills it. `maxFiles` limits the descriptors that it may open.
 */
export const spawnService = Effect.fnUntraced(function* (
  dataDir: string,
  env: Env = {},
  { maxFiles, wrapper: around = [] }: {
    readonly maxFiles?: number
    /** A command that runs the process, such as `setpriv`. */
    readonly wrapper?: ReadonlyArray<string>
  } = {}
) {
  const output = { stdout: "", stderr: "" }
  const { child, ended } = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const wrapper = maxFiles === undefined ? around : ["sh", "-c", `ulimit -n ${maxFiles} && exec "$@"`, "sh"]
      const child = startSliptrail(["serve"], { env: environment(dataDir, env), wrapper })
      return { child, ended: once(child, "close").then(([code]) => typeof code === "number" ? code : null) }
    }),
    ({ child, ended }) =>
      Effect.promise(() => {
        if (child.exitCode === null && child.signalCode === null) process.kill(child.pid ?? 0, "SIGKILL")
        return ended
      })
  )
  const baseUrl = yield* Effect.promise(() => whenListening(child, output))
  const service: SpawnedService = {
    ...makeClient(baseUrl, ADMIN_TOKEN),
    dataDir,
    pid: child.pid ?? 0,
    output: () => output,
    signal: (name) =>
      Effect.sync(() => {
        process.kill(child.pid ?? 0, name)
      }),
    // Not child.kill: after it, Deno reports an end by the signal for any exit code.
    stop: (signal) =>
      Effect.promise(() => {
        process.kill(child.pid ?? 0, signal)
        return ended
      })
  }
  return service
})
