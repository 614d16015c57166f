import { Context, Duration, Effect, Layer, Redacted, Result } from "effect"
import { type Cluster, Command, type Redis } from "ioredis"
import { ReadModelsError } from "../../../../ports/read-models.ts"
import { type Client, evictionPolicyOf, type InfoFields, openClient, parseInfo } from "./client.ts"
import { describeAddress, parseRedisUrl, type RedisAddress } from "./redis-url.ts"
import type { Script } from "./scripts.ts"

/** The connection of this process to a Redis server or a Redis Cluster. */
export class RedisConnection extends Context.Service<RedisConnection, {
  /**
   * Runs a script as one atomic step. All keys must be of one model (`keyPrefixOf`). The caller decodes the reply: text,
   * integer, list or null.
   *
   * After a failure it is unknown whether the script ran. It is sent again only when the server had not loaded it. Fails
   * with `timeout` when the server does not answer in time, and with `unavailable` otherwise.
   */
  readonly run: (
    operation: string,
    script: Script,
    keys: ReadonlyArray<string>,
    args: ReadonlyArray<string | number>
  ) => Effect.Effect<unknown, ReadModelsError>
  /** Fields of a section of `INFO` (`memory`, `persistence`, …), of every master. */
  readonly info: (section: string) => Effect.Effect<ReadonlyArray<ServerInfo>, ReadModelsError>
  /** The address without user and password, for messages. */
  readonly address: string
}>()("sliptrail/infrastructure/RedisConnection") {}

export interface ServerInfo {
  readonly address: string
  readonly fields: InfoFields
}

export interface RedisConnectionOptions {
  /** `redis://[user][:password@]host[:port][/database]`, or `rediss://`; of a Cluster any node of it. */
  readonly url: Redacted.Redacted
  /** How long an answer may take; 1 second. */
  readonly commandTimeout?: Duration.Input
  /** How long the server may take at the start; 5 seconds. */
  readonly startTimeout?: Duration.Input
  /** Certificate, in PEM, of the authority to trust for `rediss:`, instead of those that the runtime trusts. */
  readonly authority?: string
}

/**
 * Connects. Fails with a message for operators when the server can't be reached, refuses the user, can't be written or
 * is older than 7.0. After that it reconnects automatically, and logs each loss and each recovery once.
 */
export const layerRedisConnection = (
  options: RedisConnectionOptions
): Layer.Layer<RedisConnection, ReadModelsError> =>
  Layer.effect(
    RedisConnection,
    Effect.gen(function* () {
      const text = Redacted.value(options.url)
      const parsed = parseRedisUrl(text)
      if (Result.isFailure(parsed)) {
        const cause = new Error(`REDIS_URL can't be read: ${parsed.failure}`)
        return yield* new ReadModelsError({ operation: "open", reason: "unavailable", cause })
      }
      const address = parsed.success
      const toError = makeToReadModelsError(secretsOf(address, text))
      const client = yield* open(address, options, toError)
      yield* logLosses(client)
      yield* warnOfEviction(client)
      return RedisConnection.of({
        address: describeAddress(address),
        run: (operation, script, keys, args) =>
          Effect.callback((resume) => {
            evaluate(client, script, keys, args).then(
              (reply) => resume(Effect.succeed(reply)),
              (cause) => resume(Effect.fail(toError(operation, cause)))
            )
          }),
        info: (section) =>
          Effect.tryPromise({ try: () => infoOf(client, section), catch: (cause) => toError("info", cause) })
      })
    })
  )

const open = Effect.fnUntraced(function* (
  address: RedisAddress,
  options: RedisConnectionOptions,
  toError: ToReadModelsError
) {
  const connectMillis = Duration.toMillis(options.startTimeout ?? "5 seconds")
  const unusable = (reason: ReadModelsError["reason"], why: string) =>
    new ReadModelsError({
      operation: "open",
      reason,
      cause: new Error(`Redis at ${describeAddress(address)} can't be used: ${why}`)
    })
  const opening = yield* Effect.acquireRelease(
    Effect.sync(() =>
      openClient(address, {
        commandMillis: Duration.toMillis(options.commandTimeout ?? "1 second"),
        connectMillis,
        authority: options.authority
      })
    ),
    ({ disconnect }) => Effect.sync(disconnect)
  )
  return yield* Effect.tryPromise({
    try: opening.connect,
    catch: (cause) => {
      const { cause: error, reason } = toError("open", cause)
      return unusable(reason, error instanceof Error ? error.message : "")
    }
  }).pipe(Effect.timeoutOrElse({
    duration: connectMillis,
    orElse: () => Effect.fail(unusable("timeout", `it did not answer within ${connectMillis / 1000} s`))
  }))
})

const evaluate = (
  client: Client,
  script: Script,
  keys: ReadonlyArray<string>,
  args: ReadonlyArray<string | number>
): Promise<unknown> => {
  const call = (name: string, first: string): Promise<unknown> => {
    // The client's methods take the arguments one by one: thousands of arguments overflow the stack.
    const command = new Command(name, [first, keys.length, ...keys, ...args], { replyEncoding: "utf8" })
    client.sendCommand(command)
    return command.promise
  }
  return call("evalsha", script.sha1).catch((error) => {
    // The server was restarted, or its scripts were flushed.
    if (error instanceof Error && error.message.startsWith("NOSCRIPT")) return call("eval", script.lua)
    throw error
  })
}

const infoOf = (client: Client, section: string): Promise<ReadonlyArray<ServerInfo>> =>
  Promise.all((isCluster(client) ? client.nodes("master") : [client]).map(async (redis): Promise<ServerInfo> => ({
    address: `${redis.options.host}:${redis.options.port}`,
    fields: parseInfo(await redis.info(section))
  })))

/** A warning, because a managed server may leave no choice, and deletes nothing before it is full. */
const warnOfEviction = Effect.fnUntraced(function* (client: Client) {
  const servers = yield* Effect.orElseSucceed(Effect.tryPromise(() => infoOf(client, "memory")), () => [])
  for (const { address, fields } of servers) {
    const policy = evictionPolicyOf(fields)
    if (policy === undefined) continue
    yield* Effect.logWarning(
      `Redis at ${address} has maxmemory-policy ${policy}: when it is full, it deletes keys, and answers become wrong. Set `
        + "maxmemory-policy noeviction"
    )
  }
})

const logLosses = Effect.fnUntraced(function* (client: Client) {
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      watchConnection(client, {
        lost: (address, why) =>
          runFork(Effect.logWarning(`Connection to Redis at ${address} lost${why === "" ? "" : `: ${why}`}`)),
        back: (address) => runFork(Effect.logInfo(`Connection to Redis at ${address} is back`))
      })
    ),
    (stop) => Effect.sync(stop)
  )
})

const secretsOf = ({ password }: RedisAddress, text: string): ReadonlyArray<string> =>
  password === undefined ? [text] : [text, encodeURIComponent(password), password]

type ToReadModelsError = (operation: string, cause: unknown) => ReadModelsError

/**
 * Makes the port's error from an error of the client. The cause is a new error whose message shows no secrets: the
 * client's error contains the whole command, which can contain the password.
 */
const makeToReadModelsError = (secrets: ReadonlyArray<string>): ToReadModelsError => (operation, cause) => {
  if (cause instanceof ReadModelsError) return cause
  const raw = cause instanceof Error ? cause.message : String(cause)
  const message = secrets.reduce((shown, secret) => shown.replaceAll(secret, "<redacted>"), explain(raw))
  return new ReadModelsError({
    operation,
    reason: raw === TIMED_OUT ? "timeout" : "unavailable",
    cause: new Error(message)
  })
}

/** The client's message for a command that timed out. */
const TIMED_OUT = "Command timed out"

/** The rights of the user in Redis, as for `ACL SETUSER` (docs/beyond-one-machine.md, "TLS and credentials"). */
const REDIS_RIGHTS = "~sliptrail:* +@all -@admin -@dangerous +info +cluster"

const explain = (message: string): string => {
  if (/^(?:WRONGPASS|NOAUTH|ERR invalid password)/u.test(message)) {
    return `it refused the user or password of REDIS_URL: ${message}`
  }
  if (message.startsWith("NOPERM")) {
    return `the user of REDIS_URL may not do this, it needs ${REDIS_RIGHTS}: ${message}`
  }
  if (/ECONNREFUSED/u.test(message)) return `nothing listens there, start Redis or correct REDIS_URL: ${message}`
  if (/ENOTFOUND|EAI_AGAIN/u.test(message)) return `its name can't be resolved: ${message}`
  // The client advises to change its options, which would mislead operators.
  if (/^(?:Reached the max retries|Stream isn't writeable|Connection is closed|Cluster isn't ready)/u.test(message)) {
    return "not connected"
  }
  return message
}

interface ConnectionListener {
  /** An open connection was lost; called once until it is restored. `why` is empty when there was no error. */
  readonly lost: (address: string, why: string) => void
  readonly back: (address: string) => void
}

/** Reports lost and restored connections, of each node of a Cluster, until the returned function is called. */
const watchConnection = (client: Client, listener: ConnectionListener): () => void => {
  const lost = new Set<string>()
  let isWatching = true

  const watch = (redis: Redis) => {
    const address = `${redis.options.host}:${redis.options.port}`
    let wasReady = redis.status === "ready"
    let why = ""
    redis.on("error", (error) => {
      why = error.message
    })
    redis.on("close", () => {
      if (isWatching && wasReady && !lost.has(address)) {
        lost.add(address)
        listener.lost(address, why)
      }
      wasReady = false
    })
    redis.on("ready", () => {
      wasReady = true
      why = ""
      if (isWatching && lost.delete(address)) listener.back(address)
    })
  }

  if (isCluster(client)) {
    for (const node of client.nodes()) watch(node)
    client.on("+node", watch)
  } else watch(client)
  return () => {
    isWatching = false
  }
}

const isCluster = (client: Client): client is Cluster => client.isCluster
