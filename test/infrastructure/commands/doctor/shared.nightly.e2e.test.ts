import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Layer } from "effect"
import { globSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Finding } from "../../../../infrastructure/commands/doctor/finding.ts"
import { modelsFile } from "../../../../infrastructure/runtime/data-folder.ts"
import { projections } from "../../../../projections/models/all.ts"
import { sliptrail } from "../../../support/command.ts"
import { startServerProcess } from "../../../support/eventstore-server/process.ts"
import { startRedisCluster } from "../../../support/redis-cluster.ts"
import { freePort, startRedisServer } from "../../../support/redis-server.ts"
import { layerRunningService } from "../../../support/service.ts"
import { signingKeySetting } from "../../../support/signing-key.ts"
import { eventually } from "../../../support/eventually.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { certificateOf, testAuthority } from "../../../support/tls.ts"
import { runJson } from "../../../support/in-process.ts"
import { examine, messagesAbout } from "./examined.ts"

const MASTER_KEY = Buffer.alloc(32, 1).toString("base64")
const SIGNING_KEY = signingKeySetting()

/** Both servers without data, and settings with their addresses. No service is running. */
const givenServers = Effect.gen(function* () {
  const log = yield* startServerProcess()
  const redis = yield* startRedisServer({ appendonly: true })
  const EVENTSTORE_URL = `esdb://127.0.0.1:${log.port}?tls=false`
  const DATA_DIR = join(yield* temporaryFolder, "data")
  return {
    log,
    redis,
    env: { DATA_DIR, MASTER_KEY, SIGNING_KEY, EVENTSTORE_URL, REDIS_URL: redis.url, ALLOW_SANDBOX: "true" }
  }
})

/** The findings without the warning about the sandbox bank, which these tests use. */
const aboutServers = (findings: ReadonlyArray<Finding>) => findings.filter(({ about }) => about !== "gateways")

const givenService = Effect.tap(givenServers, ({ env }) => runJson(["service", "create", "--name", "Shop"], env))

describe("sliptrail doctor on EventStoreDB and Redis", () => {
  it.live("finds no fault in the servers of a running service, and reads no data folder", function* () {
    const { env, log, redis } = yield* givenService
    yield* Layer.build(layerRunningService(env))
    const { faults, findings, warnings } = yield* examine(env)
    assert.deepStrictEqual([...faults, ...aboutServers(warnings)], [])
    const place = `127.0.0.1:${log.port}`
    assert.match(
      messagesAbout(findings, "event store"),
      new RegExp(`${place}.*version \\d+\\.\\d+.*can be read`, "u")
    )
    assert.match(messagesAbout(findings, "redis"), new RegExp(`127.0.0.1:${redis.port} can be reached`, "u"))
    assert.match(messagesAbout(findings, "redis"), /version 7\.\d.*\n.*noeviction.*\n.*in use.*\n.*appendonly yes/u)
    assert.include(messagesAbout(findings, "master key"), "opens the sealed data of the log")
    assert.match(messagesAbout(findings, "read models"), /the head of the log/u)
    assert.match(messagesAbout(findings, "clock"), /after the newest event/u)
    assert.strictEqual(messagesAbout(findings, "data folder") + messagesAbout(findings, "disk"), "")
  })

  it.live("says whether lost read models would be restored from the copy of this process", function* () {
    const { env } = yield* givenService
    const about = Effect.map(examine(env), ({ findings }) => messagesAbout(findings, "copy of the read models"))
    assert.strictEqual(yield* about, "")
    yield* Effect.scoped(Effect.andThen(
      Layer.build(layerRunningService(env)),
      eventually(about, (message) => message.startsWith("usable: models that Redis loses are restored from "))
    ))
    const [file = ""] = globSync(join(env.DATA_DIR, "models-copy-*.db"))
    const copy = new DatabaseSync(file)
    const at = (position: string) => copy.exec(`UPDATE models SET position = '${position}' WHERE name LIKE 'jobs%'`)
    at(`${2 ** 40}/${2 ** 40}`)
    assert.match(yield* about, /is ahead of the log, so it was made from a longer one/u)
    at("0/0")
    copy.close()
    assert.match(yield* about, /not usable yet: .* has 0 % of the log/u)
    writeFileSync(file, "no database")
    assert.match(yield* about, /models-copy-.*db cannot be read: .*not a database/u)
  })

  it.live("advises against a user of EventStoreDB that may do everything", function* () {
    const { env } = yield* givenServers
    const port = yield* Effect.promise(freePort)
    const { warnings } = yield* examine({ ...env, EVENTSTORE_URL: `esdb://admin:changeit@127.0.0.1:${port}` })
    const [warning] = warnings.filter(({ message }) => message.includes("the user admin may delete"))
    assert.include(warning?.advice, "use a user without groups")
  })

  it.live("finds a missing and an invalid signing key", function* () {
    const { env } = yield* givenServers
    const without = yield* examine({ ...env, SIGNING_KEY: "" })
    assert.match(
      messagesAbout(without.warnings, "signing key"),
      /the log is not signed, because SIGNING_KEY is not set/u
    )
    const wrong = yield* examine({ ...env, SIGNING_KEY: "c2hvcnQ=" })
    assert.match(messagesAbout(wrong.faults, "signing key"), /must hold an Ed25519 private key/u)
    const own = yield* examine(env)
    assert.match(messagesAbout(own.findings, "signing key"), /^key [\da-f]{16}, taken from SIGNING_KEY$/u)
  })

  it.live("finds read models that no process updates", function* () {
    const { env, redis } = yield* givenService
    yield* redis.command("FLUSHALL")
    const { faults, ...examined } = yield* examine(env)
    const warnings = aboutServers(examined.warnings)
    assert.deepStrictEqual(faults, [])
    assert.lengthOf(warnings, projections.length)
    assert.match(messagesAbout(warnings, "read models"), /bytes of the log behind, and no process updates it/u)
    assert.include(warnings[0]?.advice, "projector")
  })

  it.live("finds read models of another log", function* () {
    const { env } = yield* givenService
    const empty = yield* startServerProcess()
    const { faults } = yield* examine({ ...env, EVENTSTORE_URL: `esdb://127.0.0.1:${empty.port}?tls=false` })
    assert.isNotEmpty(faults)
    assert.match(messagesAbout(faults, "read models"), /ahead of the log/u)
  })

  it.live("finds unreachable servers, and prints no password", function* () {
    const { env, log, redis } = yield* givenServers
    yield* Effect.all([log.kill, redis.stop()])
    const { faults, stdout } = yield* examine({
      ...env,
      EVENTSTORE_URL: `esdb://admin:s3cret-1@localhost:${log.port}?tls=false`,
      REDIS_URL: `redis://:s3cret-2@localhost:${redis.port}`
    })
    assert.sameMembers(faults.map(({ about }) => about), ["event store", "redis"])
    assert.include(messagesAbout(faults, "event store"), `localhost:${log.port}`)
    assert.include(messagesAbout(faults, "redis"), `localhost:${redis.port}`)
    assert.notInclude(stdout, "s3cret")
  })

  it.live("finds invalid addresses, and prints no password", function* () {
    const { faults, stdout } = yield* examine({
      MASTER_KEY,
      ALLOW_SANDBOX: "true",
      DATA_DIR: yield* temporaryFolder,
      EVENTSTORE_URL: "http://admin:s3cret-1@localhost",
      REDIS_URL: "http://:s3cret-2@localhost"
    })
    assert.sameMembers(faults.map(({ about }) => about), ["event store", "redis"])
    assert.notInclude(stdout, "s3cret")
  })

  it.live("finds a user without the right to read $all, and shows the metadata that grants it", function* () {
    const { env, log } = yield* givenServers
    yield* log.faults({ denyAll: true })
    const { faults } = yield* examine({
      ...env,
      EVENTSTORE_URL: `esdb://sliptrail:s3cret@127.0.0.1:${log.port}?tls=false`
    })
    const acl = `the stream $all must be {"acl":{"readRoles":["$admins","sliptrail"]}}`
    assert.include(messagesAbout(faults, "event store"), acl)
  })

  it.live("accepts the second name of the event store's URL, and finds two different values", function* () {
    const { env, log } = yield* givenServers
    const { EVENTSTORE_URL, ...others } = env
    const second = yield* examine({ ...others, KURRENTDB_URL: EVENTSTORE_URL })
    assert.include(messagesAbout(second.findings, "event store"), `127.0.0.1:${log.port}`)
    const both = yield* examine({ ...env, KURRENTDB_URL: "esdb://127.0.0.1:1" })
    assert.include(messagesAbout(both.faults, "settings"), "remove one of the two")
  })

  it.live("writes nothing to standard error for a server over TLS whose host is an IP address", function* () {
    const { env } = yield* givenServers
    const folder = yield* temporaryFolder
    const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")]
    const { cert, key } = certificateOf("trusted")
    writeFileSync(certFile, cert)
    writeFileSync(keyFile, key)
    const log = yield* startServerProcess("--user", "sliptrail:s3cret", "--cert", certFile, "--key", keyFile)
    const EVENTSTORE_URL = `esdb://sliptrail:s3cret@127.0.0.1:${log.port}?tlsCaFile=${testAuthority.file}`
    const { code, stderr, stdout } = yield* sliptrail(["doctor"], { cwd: folder, env: { ...env, EVENTSTORE_URL } })
    assert.deepStrictEqual([code, stderr], [0, ""], stdout)
  })

  it.live("finds a server that is too old", function* () {
    const { env } = yield* givenServers
    const old = yield* startServerProcess("--version", "21.10.0")
    const { faults } = yield* examine({ ...env, EVENTSTORE_URL: `esdb://127.0.0.1:${old.port}?tls=false` })
    assert.match(messagesAbout(faults, "event store"), /21\.10\.0.*oldest/u)
  })

  it.live("finds a missing master key, and the master key of another log", function* () {
    const { env } = yield* givenService
    const missing = yield* examine({ ...env, MASTER_KEY: "" })
    assert.lengthOf(missing.faults, 1)
    assert.include(messagesAbout(missing.faults, "master key"), "openssl rand -base64 32")
    const otherKey = yield* examine({ ...env, MASTER_KEY: Buffer.alloc(32, 2).toString("base64") })
    assert.lengthOf(otherKey.faults, 1)
    assert.include(messagesAbout(otherKey.faults, "master key"), "it is another key")
  })

  it.live("finds a Redis that may evict keys", function* () {
    const { env, redis } = yield* givenServers
    yield* redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    assert.match(messagesAbout((yield* examine(env)).warnings, "redis"), /maxmemory-policy is allkeys-lru/u)
    yield* redis.command("CONFIG", "SET", "maxmemory", "100mb")
    assert.match(
      messagesAbout((yield* examine(env)).faults, "redis"),
      /maxmemory-policy is allkeys-lru.*is used twice/u
    )
  })

  it.live("finds a Redis that is out of memory, and one without persistence", function* () {
    const { env, redis } = yield* givenServers
    yield* redis.command("CONFIG", "SET", "appendonly", "no")
    yield* redis.command("CONFIG", "SET", "maxmemory", "1")
    const { faults, warnings } = yield* examine(env)
    assert.match(messagesAbout(faults, "redis"), /writes are refused/u)
    assert.match(messagesAbout(warnings, "redis"), /appendonly no/u)
  })

  it.live("checks the Cluster and each of its masters", function* () {
    const { env } = yield* givenServers
    const cluster = yield* startRedisCluster
    const { faults, findings } = yield* examine({ ...env, REDIS_URL: cluster.url })
    assert.deepStrictEqual(faults, [])
    assert.match(messagesAbout(findings, "redis"), /cluster_state ok, 16384 of 16384 slots served by 3 masters/u)
    assert.lengthOf(
      messagesAbout(findings, "redis").match(/^127\.0\.0\.1:\d+: maxmemory-policy noeviction/gmu) ?? [],
      3
    )
  })

  it.live("warns about an event store without Redis, and checks the read models in the folder", function* () {
    const { env } = yield* givenServers
    const withoutRedis = { ...env, REDIS_URL: "" }
    yield* runJson(["service", "create", "--name", "Shop"], withoutRedis)
    const { faults, findings, warnings } = yield* examine(withoutRedis)
    assert.deepStrictEqual(faults, [])
    assert.match(messagesAbout(warnings, "quotas"), /exact only while one process/u)
    assert.include(messagesAbout(findings, "data folder"), env.DATA_DIR)
    assert.match(messagesAbout(findings, "read models"), /is at/u)
    assert.notInclude(messagesAbout(findings, "event log"), "events.db")
    assert.notInclude(messagesAbout(findings, "master key"), "master.key")
  })

  it.live("checks the log in the folder and the read models in Redis", function* () {
    const { env } = yield* givenServers
    const embedded = { ...env, EVENTSTORE_URL: "" }
    yield* runJson(["service", "create", "--name", "Shop"], embedded)
    const { faults, findings } = yield* examine(embedded)
    assert.deepStrictEqual(faults, [])
    assert.include(messagesAbout(findings, "event log"), "journal_mode wal")
    assert.match(messagesAbout(findings, "redis"), /can be reached/u)
    assert.notInclude(messagesAbout(findings, "read models"), modelsFile(env.DATA_DIR))
  })
})
