import type { InfoFields } from "../stores/redis/client.ts"
import { fail, type Finding, ok, warn } from "./finding.ts"

const ABOUT = "redis"
const MIB = 1024 ** 2

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / MIB).toLocaleString("en-US")} MiB`

const number = (info: InfoFields, name: string): number | undefined => {
  const text = info.get(name)
  return text === undefined || !/^\d+$/u.test(text) ? undefined : Number(text)
}

/** Managed servers leave fields out, and the command that would tell (CONFIG) is often forbidden there. */
const untold = (field: string, wanted: string): Finding =>
  warn(ABOUT, `the server does not tell ${field}`, `look it up where it is administered: it should be ${wanted}`)

const judgeEviction = (info: InfoFields): Finding => {
  const policy = info.get("maxmemory_policy")
  if (policy === undefined) return untold("maxmemory_policy", "noeviction")
  if (policy === "noeviction") return ok(ABOUT, "maxmemory-policy noeviction: at its limit nothing is thrown away")
  const judge = number(info, "maxmemory") === 0 ? warn : fail
  return judge(
    ABOUT,
    `maxmemory-policy is ${policy}: at its limit Redis throws keys away and tells nobody. What is gone becomes a `
      + "wrong answer: an API key is unknown, a quota is given away a second time, a verification is not found",
    "set maxmemory-policy noeviction; then empty this Redis (FLUSHALL), so that everything is built anew from the log"
  )
}

/** From this share of its limit on there should be more. */
const MUCH = 0.8

const judgeMemory = (info: InfoFields): Finding => {
  const [used, limit] = [number(info, "used_memory"), number(info, "maxmemory")]
  if (used === undefined || limit === undefined) return untold("used_memory and maxmemory", "well below its limit")
  if (limit === 0) return ok(ABOUT, `${mebibytes(used)} in use; no maxmemory, the machine is the limit`)
  const share = (used - (number(info, "mem_not_counted_for_evict") ?? 0)) / limit
  const told = `${mebibytes(used)} of maxmemory ${mebibytes(limit)} in use`
  if (share >= 1) return fail(ABOUT, `${told}: writes are refused, read models stand still`, "raise maxmemory")
  return share >= MUCH ? warn(ABOUT, told, "raise maxmemory soon: at the limit writes are refused") : ok(ABOUT, told)
}

const judgePersistence = (info: InfoFields): Finding => {
  const append = info.get("aof_enabled")
  if (append === undefined) return untold("aof_enabled", "appendonly yes, appendfsync everysec")
  return append === "1"
    ? ok(
      ABOUT,
      "appendonly yes: a crash costs what was not flushed yet, with appendfsync everysec a second, which is built "
        + "again from the log. After any restart limited quotas are refused for some seconds"
    )
    : warn(
      ABOUT,
      "appendonly no: a restart takes the read models back to the last snapshot, or to nothing. They are built again "
        + "from the log; until then requests are refused",
      "set appendonly yes and appendfsync everysec"
    )
}

/** What makes Redis refuse every write, until it is mended. */
const judgeFailedWrites = (info: InfoFields): ReadonlyArray<Finding> => [
  ...(info.get("aof_last_write_status") === "err"
    ? [fail(ABOUT, "its last write to the append-only file failed: it refuses to write", "see its log and its disk")]
    : []),
  ...(info.get("rdb_last_bgsave_status") === "err"
    ? [
      fail(
        ABOUT,
        "its last snapshot failed: unless stop-writes-on-bgsave-error is off, it refuses to write",
        "see its log, its disk, and whether it has the memory to fork"
      )
    ]
    : [])
]

const judgeRole = (info: InfoFields): Finding => {
  const replicas = number(info, "connected_slaves") ?? 0
  const told = `version ${info.get("redis_version") ?? "unknown"}, ${info.get("role") ?? "role unknown"}`
  const standingBy = `${replicas} replica${replicas === 1 ? "" : "s"}`
  return ok(
    ABOUT,
    replicas === 0
      ? `${told} without replicas`
      : `${told}, ${standingBy}: a failover may take back the last moments, as a crash does`
  )
}

/** A server by what its INFO says. */
export const judgeInfo = (info: InfoFields): ReadonlyArray<Finding> => [
  judgeRole(info),
  judgeEviction(info),
  judgeMemory(info),
  judgePersistence(info),
  ...judgeFailedWrites(info)
]

/** A Cluster by what `CLUSTER INFO` says. */
export const judgeCluster = (info: InfoFields): Finding => {
  const state = info.get("cluster_state") ?? "unknown"
  const [slotsOk = "?", size = "?"] = [info.get("cluster_slots_ok"), info.get("cluster_size")]
  const slots = `${slotsOk} of 16384 slots served by ${size} masters`
  return state === "ok"
    ? ok(ABOUT, `cluster_state ok, ${slots}`)
    : fail(ABOUT, `cluster_state ${state}, ${slots}`, "see which nodes are away: redis-cli --cluster check")
}
