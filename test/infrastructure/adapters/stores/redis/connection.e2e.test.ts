import { assert, describe, it } from "../../../../support/it.ts"
import { Cause, Context, Effect, Layer, Logger, Redacted } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inspect } from "node:util"
import {
  layerRedisConnection,
  RedisConnection,
  type RedisConnectionOptions
} from "../../../../../infrastructure/adapters/stores/redis/connection.ts"
import { makeScript } from "../../../../../infrastructure/adapters/stores/redis/scripts.ts"
import { startRedisCluster } from "../../../../support/redis-cluster.ts"
import { freePort, type RedisServer, startRedisServer } from "../../../../support/redis-server.ts"
import { temporaryFolder } from "../../../../support/temporary-folder.ts"
import { certificateOf, testAuthority } from "../../../../support/tls.ts"
import { onceForFile } from "./given-redis.ts"

const secret = "p%40ss/w0rd"
const server = onceForFile(startRedisServer())
const guarded = onceForFile(startRedisServer({ arguments: ["--requirepass", secret] }))
const withPassword = (password: string) => `redis://:${encodeURIComponent(password)}@127.0.0.1:${guarded().port}`

describe("opening Redis", () => {
  it.live("uses the password of the URL", function* () {
    const { address, run } = yield* connect(withPassword(secret))
    assert.strictEqual(address, `redis://127.0.0.1:${guarded().port}`)
    assert.deepStrictEqual(yield* run("echo", echo, ["k"], ["text", 5]), ["k", "text", "5"])
  })

  it.live("reports a refused password, without the password", function* () {
    const { message, shown } = yield* failureOf(withPassword(`${secret}?`))
    assert.include(message, `Redis at redis://127.0.0.1:${guarded().port} can't be used: it refused the user or`)
    assert.notInclude(shown, secret)
    assert.notInclude(shown, encodeURIComponent(secret))
    assert.include((yield* failureOf(`redis://127.0.0.1:${guarded().port}`)).message, "NOAUTH")
  })

  it.live("reports an unreachable server with its address, without the password", function* () {
    const port = yield* Effect.promise(freePort)
    const { error, message, shown } = yield* failureOf(`redis://:${encodeURIComponent(secret)}@127.0.0.1:${port}/3`)
    assert.strictEqual(error.reason, "unavailable")
    assert.include(message, `Redis at redis://127.0.0.1:${port}/3 can't be used: nothing listens there`)
    assert.notInclude(shown, secret)
    assert.notInclude(shown, encodeURIComponent(secret))
  })

  it.live("fails with timeout when the server accepts connections and does not answer", function* () {
    const port = yield* Effect.promise(freePort)
    yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const silent = createServer().listen(port, "127.0.0.1")
        await once(silent, "listening")
        return silent
      }),
      (silent) => Effect.sync(() => silent.close())
    )
    const { error, message } = yield* failureOf(`redis://127.0.0.1:${port}`, { startTimeout: "200 millis" })
    assert.strictEqual(error.reason, "timeout")
    assert.include(message, "it did not answer within 0.2 s")
  })

  it.live("rejects a database that the server does not have", function* () {
    assert.include((yield* failureOf(`${server().url}/77`)).message, "DB index is out of range")
  })

  it.live("says which rights the user lacks", function* () {
    yield* server().command("ACL", "SETUSER", "weak", "on", ">pass", "+info")
    const { run } = yield* connect(`redis://weak:pass@127.0.0.1:${server().port}`)
    const { cause } = yield* Effect.flip(run("echo", echo, ["k"], []))
    assert.match(String(cause), /it needs ~sliptrail:\* \+@all -@admin -@dangerous \+info \+cluster: NOPERM/u)
  })

  it.live("warns about a server that deletes keys when it is full", function* () {
    const evicting = yield* startRedisServer({ arguments: ["--maxmemory-policy", "allkeys-lru"] })
    const warningsOf = Effect.fnUntraced(function* (url: string) {
      const logged: Array<string> = []
      const logger = Logger.layer([
        Logger.make(({ logLevel, message }) => void logged.push(`${logLevel} ${message}`))
      ])
      yield* Layer.build(Layer.provide(layerRedisConnection({ url: Redacted.make(url) }), logger))
      return logged
    })
    assert.deepStrictEqual(yield* warningsOf(server().url), [])
    const [warning, ...others] = yield* warningsOf(evicting.url)
    assert.match(
      warning ?? "",
      new RegExp(`^Warn Redis at 127.0.0.1:${evicting.port} has maxmemory-policy allkeys-lru`, "u")
    )
    assert.deepStrictEqual(others, [])
  })

  it.live("rejects a replica, which is read-only", function* () {
    const replica = yield* startRedisServer({ arguments: ["--replicaof", "127.0.0.1", String(server().port)] })
    assert.include((yield* failureOf(replica.url)).message, "it is a replica")
  })

  it.live("reports what is wrong with an invalid URL", function* () {
    for (const [text, why] of [["", "it must look like"], ["http://h", "it must begin with redis://"]] as const) {
      assert.include((yield* failureOf(text)).message, `REDIS_URL can't be read: ${why}`)
    }
  })
})

describe("Redis over TLS", () => {
  it.live("is trusted only with the configured authority", function* () {
    const tls = yield* startTls("trusted")
    const { address, info } = yield* connect(tls.url, { authority: testAuthority.certificate })
    assert.strictEqual(address, tls.url)
    assert.strictEqual((yield* info("server"))[0]?.fields.get("redis_mode"), "standalone")
    const named = tls.url.replace("127.0.0.1", "localhost")
    yield* connect(named, { authority: testAuthority.certificate })
    assert.include((yield* failureOf(tls.url)).message, "can't be used")
  })

  it.live("is refused with an expired certificate", function* () {
    const tls = yield* startTls("expired")
    const { message } = yield* failureOf(tls.url, { authority: testAuthority.certificate })
    // Deno does not report the reason for the failed verification.
    assert.match(message, /expired|verify/iu)
  })
})

describe("a connection to Redis", () => {
  it.live("returns the server's INFO", function* () {
    const { info } = yield* connect(server().url)
    const [memory] = yield* info("memory")
    assert.strictEqual(memory?.address, `127.0.0.1:${server().port}`)
    assert.strictEqual(memory?.fields.get("maxmemory_policy"), "noeviction")
  })

  it.live("shows no data of a failed command", function* () {
    const { run } = yield* connect(server().url)
    const failing = makeScript("return redis.call('NO SUCH')")
    const error = yield* Effect.flip(run("fail", failing, ["k"], ["a private row"]))
    assert.strictEqual(error.reason, "unavailable")
    assert.notInclude(shownOf(error), "a private row")
  })

  it.live("ends with its scope", function* () {
    assert.strictEqual(yield* exitCodeAfter(server().url, Effect.void), 0)
  })

  it.live("ends with its scope when the server hangs or has stopped", function* () {
    const hanging = yield* startRedisServer()
    assert.strictEqual(yield* exitCodeAfter(hanging.url, hanging.pause), 0)
    yield* hanging.resume
    assert.strictEqual(yield* exitCodeAfter(hanging.url, hanging.stop()), 0)
  })

  it.live("to a Cluster ends with its scope, even when all nodes have stopped", function* () {
    const cluster = yield* startRedisCluster
    assert.strictEqual(yield* exitCodeAfter(cluster.url, Effect.void), 0)
    const stopAll = Effect.forEach(cluster.nodes, (node: RedisServer) => node.stop(), { discard: true })
    assert.strictEqual(yield* exitCodeAfter(cluster.url, stopAll), 0)
  })
})

const echo = makeScript("return {KEYS[1], ARGV[1], ARGV[2]}")

type Options = Omit<RedisConnectionOptions, "url">

const connect = (url: string, options: Options = {}) =>
  layerRedisConnection({ url: Redacted.make(url), ...options }).pipe(
    Layer.fresh,
    Layer.provide(Logger.layer([])),
    Layer.build,
    Effect.map(Context.get(RedisConnection))
  )

/** Everything that a log could show of an error. */
const shownOf = (error: unknown): string =>
  [inspect(error, { depth: 9 }), JSON.stringify(error), Cause.pretty(Cause.fail(error))].join("\n")

/** The error of a failed start: its message for the operator, and everything that a log could show of it. */
const failureOf = (url: string, options: Options = {}) =>
  connect(url, options).pipe(
    Effect.scoped,
    Effect.flip,
    Effect.map((error) => ({
      error,
      message: error.cause instanceof Error ? error.cause.message : "",
      shown: shownOf(error)
    }))
  )

const startTls = Effect.fnUntraced(function* (kind: "trusted" | "expired") {
  const folder = yield* temporaryFolder
  const { cert, key } = certificateOf(kind)
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")]
  writeFileSync(certFile, cert)
  writeFileSync(keyFile, key)
  return yield* startRedisServer({
    tls: true,
    arguments: Object.entries({
      "--tls-cert-file": certFile,
      "--tls-key-file": keyFile,
      "--tls-ca-cert-file": testAuthority.file,
      "--tls-auth-clients": "no"
    }).flat()
  })
})

/** Runs a program that opens and closes a connection, with `between` in between. Returns its exit code. */
const exitCodeAfter = Effect.fnUntraced(function* (url: string, between: Effect.Effect<void>) {
  const main = fileURLToPath(new URL("../../../../support/redis-open-and-close.ts", import.meta.url))
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [...("Deno" in globalThis ? ["run", "-A"] : []), main, url], {
        stdio: ["pipe", "pipe", "ignore"]
      })
    ),
    (started) => Effect.sync(() => started.kill("SIGKILL"))
  )
  const exited = once(child, "exit")
  yield* Effect.promise(() => once(child.stdout, "data"))
  yield* between
  child.stdin.write("close\n")
  const [code] = yield* Effect.promise(() => exited).pipe(Effect.timeout("10 seconds"))
  return Number(code)
}, Effect.scoped)
