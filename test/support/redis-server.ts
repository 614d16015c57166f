import { Effect, type Scope } from "effect"
import { Redis } from "ioredis"
import { type ChildProcess, spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { join } from "node:path"
import { requireProgram } from "./require-program.ts"
import { temporaryFolder } from "./temporary-folder.ts"

export interface RedisServerOptions {
  /** Whether writes survive a kill. */
  readonly appendonly?: boolean
  /** Whether the server accepts only TLS. `arguments` then name its certificate. */
  readonly tls?: boolean
  /** More arguments of the command line. */
  readonly arguments?: ReadonlyArray<string>
}

export interface RedisServer {
  readonly port: number
  readonly url: string
  /** Ends the process, by default with SIGKILL, and waits for its end. */
  readonly stop: (signal?: NodeJS.Signals) => Effect.Effect<void>
  /** Starts the server again, on the same port and folder. */
  readonly start: Effect.Effect<void>
  /** Stops the process: it accepts connections and does not answer. */
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  /** Runs a command over a new connection. */
  readonly command: (...words: ReadonlyArray<string | number>) => Effect.Effect<unknown>
}

/** Starts a real `redis-server` on a free port of 127.0.0.1, in a new folder. Both are removed with the scope. */
export const startRedisServer = Effect.fnUntraced(function* (
  options: RedisServerOptions = {}
): Effect.fn.Return<RedisServer, never, Scope.Scope> {
  const folder = yield* temporaryFolder
  const port = yield* Effect.promise(freePort)
  const settings = {
    ...options.tls === true ? { port: 0, "tls-port": port } : { port },
    bind: "127.0.0.1",
    dir: folder,
    logfile: join(folder, "log"),
    save: "",
    appendonly: options.appendonly === true ? "yes" : "no",
    // What was written survives a killed process without a flush, and a slow disk does not delay the answers.
    appendfsync: "no"
  }
  const args = [
    ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    ...options.arguments ?? []
  ]
  let child: ChildProcess | undefined
  // Not child.kill: on Deno a child accepts only one signal.
  const send = (name: NodeJS.Signals) => {
    if (child?.pid !== undefined) process.kill(child.pid, name)
  }
  const stop = (name: NodeJS.Signals = "SIGKILL") =>
    Effect.promise(async () => {
      const ended = child
      if (ended === undefined || ended.exitCode !== null || ended.signalCode !== null) return
      const exited = once(ended, "exit")
      send(name)
      await exited
    })
  const start = Effect.promise(async () => {
    child = await launch(args)
    if (await untilReady(port, child, options.tls !== true)) return
    throw new Error(`redis-server does not become ready: ${readFileSync(join(folder, "log"), "utf8")}`)
  })
  yield* Effect.addFinalizer(() => stop())
  yield* start
  return {
    port,
    url: `${options.tls === true ? "rediss" : "redis"}://127.0.0.1:${port}`,
    start,
    stop,
    pause: Effect.sync(() => send("SIGSTOP")),
    resume: Effect.sync(() => send("SIGCONT")),
    command: (...words) => Effect.promise(() => command(port, words))
  }
})

/** Below the ephemeral ports of the system, because a connection could take one of those before the server does. */
const [lowestPort, highestPort] = [12_000, 30_000]

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

/** A free port. */
export const freePort = async (): Promise<number> => {
  const port = randomInt(lowestPort, highestPort)
  return (await isFree(port)) ? port : freePort()
}

const launch = (args: ReadonlyArray<string>): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    const child = spawn(requireProgram("redis-server"), [...args], { stdio: "ignore" })
    child.once("spawn", () => resolve(child))
    child.once("error", reject)
    const killChild = () => child.kill("SIGKILL")
    process.once("exit", killChild)
    child.once("exit", () => process.off("exit", killChild))
  })

const untilReady = async (port: number, child: ChildProcess, isPlain: boolean): Promise<boolean> => {
  while (child.exitCode === null && child.signalCode === null) {
    if (await answers(port, isPlain)) return true
    await new Promise((resume) => setTimeout(resume, 10))
  }
  return false
}

/** Whether the server accepts connections and has loaded its data. */
const answers = (port: number, isPlain: boolean): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      if (isPlain) socket.write("PING\r\n")
      else done(true)
    })
    const done = (isReady: boolean) => {
      socket.destroy()
      resolve(isReady)
    }
    socket.once("data", (data) => done(/^(?:\+PONG|-NOAUTH)/u.test(String(data))))
    socket.once("error", () => done(false))
  })

const command = async (port: number, [name = "", ...args]: ReadonlyArray<string | number>): Promise<unknown> => {
  const redis = new Redis(port, "127.0.0.1", { protocol: 2, maxRetriesPerRequest: 3 })
  redis.on("error", () => undefined)
  try {
    return await redis.call(String(name), args.map(String))
  } finally {
    redis.disconnect()
  }
}
