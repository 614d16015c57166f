import { Context, Duration, Effect, Layer, Redacted, Result } from "effect"
import { Command } from "ioredis"
import { ReadModelsError } from "../../../ports/read-models.ts"
import { type Client, openClient } from "./open-client.ts"
import { makeToReadModelsError, type ToReadModelsError } from "./redis-error.ts"
import { describePlace, parseRedisUrl, type RedisPlace } from "./redis-url.ts"
import type { Script } from "./script.ts"
import { type InfoFields, parseInfo } from "./server-info.ts"
import { isCluster, watchConnection } from "./watch-connection.ts"

/** One connection of this process to a Redis server or a Redis Cluster, shared by all that is kept there. */
export class RedisConnection extends Context.Service<RedisConnection, {
  /**
   * Runs a script, in one step that nothing comes between. All keys must be of one model (`keyPrefixOf`). Gives the
   * reply as it is: text, integer, list or null; the caller decodes it.
   *
   * After a failure it is unknown whether the script ran. It is never sent twice, except when the server did not know
   * it. A server that does not answer within the command timeout: `timeout`; anything else: `unavailable`.
   */
  readonly run: (
    operation: string,
    script: Script,
    keys: ReadonlyArray<string>,
    args: ReadonlyArray<string | number>
  ) => Effect.Effect<unknown, ReadModelsError>
  /** Fields of a section of `INFO` (`memory`, `persistence`, …), of every server that can be written to. */
  readonly info: (section: string) => Effect.Effect<ReadonlyArray<ServerInfo>, ReadModelsError>
  /** Where it leads, for people: without user and password. */
  readonly place: string
}>()("sliptrail/infrastructure/RedisConnection") {}

export interface ServerInfo {
  readonly place: string
  readonly fields: InfoFields
}

export interface RedisConnectionOptions {
  /** `redis://[user][:password@]host[:port][/database]`, or `rediss://`; of a Cluster any node of it. */
  readonly url: Redacted.Redacted
  /** How long an answer may take; 1 second. */
  readonly commandTimeout?: Duration.Input
  /** How long the server may take at the start; 5 seconds. */
  readonly startTimeout?: Duration.Input
  /** Certificate, in PEM, of the authority to trust for `rediss:` instead of those that the runtime trusts. */
  readonly authority?: string
}

/**
 * Connects, and fails with a sentence for people when the server can't be reached, refuses the user, can't be written
 * or is older than 7.0. Afterwards a lost connection comes back by itself; the log tells of it once each way.
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
      const place = parsed.success
      const toError = makeToReadModelsError(secretsOf(place, text))
      const client = yield* open(place, options, toError)
      yield* logLosses(client)
      return RedisConnection.of({
        place: describePlace(place),
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
  place: RedisPlace,
  options: RedisConnectionOptions,
  toError: ToReadModelsError
) {
  const connectMillis = Duration.toMillis(options.startTimeout ?? "5 seconds")
  const unusable = (reason: ReadModelsError["reason"], why: string) =>
    new ReadModelsError({
      operation: "open",
      reason,
      cause: new Error(`Redis at ${describePlace(place)} can't be used: ${why}`)
    })
  const opening = yield* Effect.acquireRelease(
    Effect.sync(() =>
      openClient(place, {
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
      const { cause: said, reason } = toError("open", cause)
      return unusable(reason, said instanceof Error ? said.message : "")
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
    // Not the client's methods: they take the arguments one by one, and some thousands of them reach the stack's limit.
    const command = new Command(name, [first, keys.length, ...keys, ...args], { replyEncoding: "utf8" })
    client.sendCommand(command)
    return command.promise
  }
  return call("evalsha", script.sha1).catch((error) => {
    // Never seen by this server, or forgotten: it was started anew, or its scripts were flushed.
    if (error instanceof Error && error.message.startsWith("NOSCRIPT")) return call("eval", script.lua)
    throw error
  })
}

const infoOf = (client: Client, section: string): Promise<ReadonlyArray<ServerInfo>> =>
  Promise.all((isCluster(client) ? client.nodes("master") : [client]).map(async (redis): Promise<ServerInfo> => ({
    place: `${redis.options.host}:${redis.options.port}`,
    fields: parseInfo(await redis.info(section))
  })))

const logLosses = Effect.fnUntraced(function* (client: Client) {
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      watchConnection(client, {
        lost: (place, why) =>
          runFork(Effect.logWarning(`Connection to Redis at ${place} lost${why === "" ? "" : `: ${why}`}`)),
        back: (place) => runFork(Effect.logInfo(`Connection to Redis at ${place} is back`))
      })
    ),
    (stop) => Effect.sync(stop)
  )
})

const secretsOf = ({ password }: RedisPlace, text: string): ReadonlyArray<string> =>
  password === undefined ? [text] : [text, encodeURIComponent(password), password]
