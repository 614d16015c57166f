import { Context, Effect, Layer, Redacted, Result } from "effect"
import { evictionPolicyOf, type InfoFields, isClusterNode, parseInfo } from "../../adapters/stores/redis/client.ts"
import { layerRedisConnection, RedisConnection } from "../../adapters/stores/redis/connection.ts"
import { keyPrefixOf } from "../../adapters/stores/redis/keys.ts"
import { parseRedisUrl } from "../../adapters/stores/redis/redis-url.ts"
import { makeScript } from "../../adapters/stores/redis/scripts.ts"
import { type Finding, findingsAbout, messageOf, when } from "./finding.ts"
import { checkTls } from "./settings.ts"

const ABOUT = "redis"
const { fail, ok, warn } = findingsAbout(ABOUT)
const MIB = 1024 ** 2

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / MIB).toLocaleString("en-US")} MiB`

const number = (info: InfoFields, name: string): number | undefined => {
  const text = info.get(name)
  return text === undefined || !/^\d+$/u.test(text) ? undefined : Number(text)
}

/** Managed servers leave fields out, and often forbid CONFIG, which would return them. */
const notReported = (field: string, expected: string): Finding =>
  warn(`the server does not report ${field}`, `check it in the administration of the server: it should be ${expected}`)

const checkEviction = (info: InfoFields): Finding => {
  if (!info.has("maxmemory_policy")) return notReported("maxmemory_policy", "noeviction")
  const policy = evictionPolicyOf(info)
  if (policy === undefined) return ok("maxmemory-policy noeviction: at its limit no key is evicted")
  const finding = number(info, "maxmemory") === 0 ? warn : fail
  return finding(
    `maxmemory-policy is ${policy}: at its limit Redis evicts keys without an error. Evicted keys cause wrong answers: `
      + "an API key is unknown, a quota is used twice, a verification is not found",
    "set maxmemory-policy noeviction; then empty this Redis (FLUSHALL): everything is rebuilt from the log"
  )
}

/** The doctor warns from this share of the memory limit on. */
const WARNING_SHARE = 0.8

const checkMemory = (info: InfoFields): Finding => {
  const [used, limit] = [number(info, "used_memory"), number(info, "maxmemory")]
  if (used === undefined || limit === undefined) return notReported("used_memory and maxmemory", "well below its limit")
  if (limit === 0) return ok(`${mebibytes(used)} in use; no maxmemory, the machine is the limit`)
  const share = (used - (number(info, "mem_not_counted_for_evict") ?? 0)) / limit
  const usage = `${mebibytes(used)} of maxmemory ${mebibytes(limit)} in use`
  if (share >= 1) return fail(`${usage}: writes are refused, read models are not updated`, "raise maxmemory")
  return share >= WARNING_SHARE ? warn(usage, "raise maxmemory soon: at the limit writes are refused") : ok(usage)
}

const checkPersistence = (info: InfoFields): Finding => {
  const append = info.get("aof_enabled")
  if (append === undefined) return notReported("aof_enabled", "appendonly yes, appendfsync everysec")
  return append === "1"
    ? ok(
      "appendonly yes: a crash loses unflushed writes (one second with appendfsync everysec), which are rebuilt from "
        + "the log. After a restart, limited quotas are refused for some seconds"
    )
    : warn(
      "appendonly no: a restart resets the read models to the last snapshot, or empties them. They are rebuilt from the "
        + "log; until then requests are refused",
      "set appendonly yes and appendfsync everysec"
    )
}

/** Failures after which Redis refuses all writes until they are repaired. */
const checkFailedWrites = (info: InfoFields): ReadonlyArray<Finding> => [
  ...when(
    info.get("aof_last_write_status") === "err",
    fail("its last write to the append-only file failed: it refuses to write", "check its log and its disk")
  ),
  ...when(
    info.get("rdb_last_bgsave_status") === "err",
    fail(
      "its last snapshot failed: unless stop-writes-on-bgsave-error is off, it refuses to write",
      "check its log, its disk, and whether it has enough memory to fork"
    )
  )
]

const checkRole = (info: InfoFields): Finding => {
  const replicas = number(info, "connected_slaves") ?? 0
  const server = `version ${info.get("redis_version") ?? "unknown"}, ${info.get("role") ?? "role unknown"}`
  const count = `${replicas} replica${replicas === 1 ? "" : "s"}`
  return ok(
    replicas === 0
      ? `${server}, no replicas`
      : `${server}, ${count}: a failover may lose the last writes, as a crash does`
  )
}

/** Findings from the INFO of a server. */
export const checkInfo = (info: InfoFields): ReadonlyArray<Finding> => [
  checkRole(info),
  checkEviction(info),
  checkMemory(info),
  checkPersistence(info),
  ...checkFailedWrites(info)
]

/** Findings from the CLUSTER INFO of a Cluster. */
export const checkCluster = (info: InfoFields): Finding => {
  const state = info.get("cluster_state") ?? "unknown"
  const [slotsOk = "?", size = "?"] = [info.get("cluster_slots_ok"), info.get("cluster_size")]
  const slots = `${slotsOk} of 16384 slots served by ${size} masters`
  return state === "ok"
    ? ok(`cluster_state ok, ${slots}`)
    : fail(`cluster_state ${state}, ${slots}`, "find the missing nodes: redis-cli --cluster check")
}

interface RedisReport {
  readonly findings: ReadonlyArray<Finding>
  readonly isUsable: boolean
}

/** Selects the node that answers; the key is never written. */
const routingKey = keyPrefixOf("doctor")

const clusterInfo = makeScript("return redis.call('CLUSTER', 'INFO')")

const checkClusterOf = ({ run }: RedisConnection["Service"]) =>
  Effect.match(run("cluster info", clusterInfo, [routingKey], []), {
    onSuccess: (text) => checkCluster(parseInfo(String(text))),
    onFailure: ({ cause }) =>
      warn(`the state of the Cluster cannot be read: ${messageOf(cause)}`, "run redis-cli cluster info")
  })

const readFindings = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const redis = Context.get(yield* Layer.build(layerRedisConnection({ url })), RedisConnection)
  const servers = yield* Effect.result(redis.info("default"))
  if (Result.isFailure(servers)) {
    const message = `${redis.address} does not answer INFO: ${messageOf(servers.failure.cause)}`
    return [warn(message, "allow the user of REDIS_URL to run INFO, then run doctor again")]
  }
  const isCluster = servers.success.some(({ fields }) => isClusterNode(fields))
  const findings = servers.success.flatMap(({ address, fields }) =>
    checkInfo(fields).map((finding) =>
      servers.success.length === 1 ? finding : { ...finding, message: `${address}: ${finding.message}` }
    )
  )
  const connected = ok(`${redis.address} can be reached${isCluster ? ", a Cluster" : ""}`)
  return [connected, ...(isCluster ? [yield* checkClusterOf(redis)] : []), ...findings]
})

/** Checks whether the Redis of REDIS_URL can be reached and keeps its data. */
export const checkRedis = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const parsed = parseRedisUrl(Redacted.value(url))
  const tls = Result.isFailure(parsed) ? [] : checkTls(ABOUT, "REDIS_URL", {
    hosts: [parsed.success.host],
    tls: parsed.success.tls,
    encrypted: "use rediss://"
  })
  const report = yield* Effect.match(Effect.scoped(readFindings(url)), {
    onSuccess: (findings): RedisReport => ({ findings, isUsable: true }),
    onFailure: ({ cause }) => ({
      findings: [
        fail(
          messageOf(cause),
          "start it, or correct REDIS_URL; until then no process starts, and running processes answer "
            + "API_SERVER_ERROR"
        )
      ],
      isUsable: false
    })
  })
  return { ...report, findings: [...tls, ...report.findings] } satisfies RedisReport
})
