import { assert, describe, it } from "@effect/vitest"
import { checkCluster, checkInfo } from "../../../../infrastructure/commands/doctor/redis.ts"
import { checkTls } from "../../../../infrastructure/commands/doctor/settings.ts"

const healthy = {
  redis_version: "7.2.4",
  role: "master",
  connected_slaves: "0",
  maxmemory: "100",
  maxmemory_policy: "noeviction",
  used_memory: "10",
  mem_not_counted_for_evict: "0",
  aof_enabled: "1",
  aof_last_write_status: "ok",
  rdb_last_bgsave_status: "ok"
}

const check = (changed: Readonly<Record<string, string>>, without: ReadonlyArray<string> = []) =>
  checkInfo(new Map(Object.entries({ ...healthy, ...changed }).filter(([name]) => !without.includes(name))))

const levels = (...given: Parameters<typeof check>) =>
  check(...given).map(({ level }) => level).filter((level) => level !== "ok")

describe("the doctor's checks of a Redis server", () => {
  it("accept a server with persistence and without eviction", () => {
    assert.deepStrictEqual(levels({}), [])
  })

  it.each([
    ["allkeys-lru", "FAIL"],
    ["volatile-ttl", "FAIL"]
  ])("report the eviction policy %s when there is a memory limit", (maxmemory_policy, level) => {
    assert.deepStrictEqual(levels({ maxmemory_policy }), [level])
    assert.deepStrictEqual(levels({ maxmemory_policy, maxmemory: "0" }), ["warn"])
  })

  it.each([
    ["79", "0", []],
    ["80", "0", ["warn"]],
    ["99", "20", []],
    ["100", "0", ["FAIL"]]
  ])(
    "report %s of 100 bytes in use, %s of them not counted, as %j",
    (used_memory, mem_not_counted_for_evict, expected) => {
      assert.deepStrictEqual(levels({ used_memory, mem_not_counted_for_evict }), expected)
    }
  )

  it.each(["aof_last_write_status", "rdb_last_bgsave_status"])("report a failed %s, which prevents writes", (name) => {
    assert.deepStrictEqual(levels({ [name]: "err" }), ["FAIL"])
  })

  it.each(["maxmemory_policy", "used_memory", "aof_enabled"])("warn when the server does not report %s", (name) => {
    assert.deepStrictEqual(levels({}, [name]), ["warn"])
  })

  it("mention that a failover to a replica may lose writes", () => {
    assert.match(check({ connected_slaves: "2" })[0]?.message ?? "", /2 replicas.*last writes/u)
  })

  it.each([
    ["ok", "ok"],
    ["fail", "FAIL"]
  ])("report a Cluster in the state %s as %s", (state, level) => {
    assert.strictEqual(checkCluster(new Map([["cluster_state", state]])).level, level)
  })
})

describe("the doctor's check of TLS to a server", () => {
  it.each([
    [["127.0.0.1", "localhost", "[::1]", "127.9.9.9"], false, 0],
    [["127.0.0.1", "10.0.0.7"], false, 1],
    [["redis.internal"], false, 1],
    [["redis.internal"], true, 0]
  ])("to %j, with TLS: %s, has %d warnings", (hosts, tls, warnings) => {
    assert.lengthOf(checkTls("redis", "REDIS_URL", { hosts, tls, encrypted: "use rediss://" }), warnings)
  })
})
