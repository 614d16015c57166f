import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { describeAddress, parseRedisUrl } from "../../../../../infrastructure/adapters/stores/redis/redis-url.ts"
import { parseInfo, refusalOf } from "../../../../../infrastructure/adapters/stores/redis/client.ts"

const info = (...lines: ReadonlyArray<string>) => parseInfo(["# Server", ...lines, ""].join("\r\n"))

describe("a Redis server", () => {
  it("is supported from version 7.0, in standalone and Cluster mode", () => {
    assert.isUndefined(refusalOf(info("redis_version:7.0.0", "redis_mode:standalone", "role:master"), 3))
    assert.isUndefined(refusalOf(info("redis_version:10.2.1", "redis_mode:cluster", "role:slave"), 0))
  })

  it("is rejected when it is older or its version is unknown", () => {
    assert.strictEqual(
      refusalOf(info("redis_version:6.2.14", "redis_mode:standalone"), 0),
      "its version is 6.2.14, and 7.0 is the oldest that is supported"
    )
    assert.include(refusalOf(info("server:other"), 0), "its version is unknown")
  })

  it("is rejected when it is a Sentinel, a replica, or a Cluster with a database number", () => {
    assert.include(refusalOf(info("redis_version:7.0.15", "redis_mode:sentinel"), 0), "Sentinel")
    assert.include(refusalOf(info("redis_version:7.0.15", "redis_mode:standalone", "role:slave"), 0), "replica")
    assert.include(refusalOf(info("redis_version:7.0.15", "redis_mode:cluster"), 2), "no database 2")
  })
})

describe("a Redis URL", () => {
  const read = (text: string) => Result.getOrThrow(parseRedisUrl(text))

  it("is read with its user, password, port and database", () => {
    assert.deepStrictEqual(read("rediss://me:p%2Fw%40@redis.example:7000/4"), {
      host: "redis.example",
      port: 7000,
      tls: true,
      username: "me",
      password: "p/w@",
      database: 4
    })
    assert.deepInclude(read("redis://[::1]"), { host: "::1", port: 6379, tls: false, database: 0, username: undefined })
  })

  it("is shown without user and password", () => {
    assert.strictEqual(describeAddress(read("rediss://me:pw@[::1]:7000/4")), "rediss://[::1]:7000/4")
    assert.strictEqual(describeAddress(read("redis://:pw@h/")), "redis://h:6379")
  })

  it("is rejected when it is invalid, without being quoted", () => {
    const ends = ["", "@h/db", "@h?secret=1", "@h#secret", "%@h", "@"]
    for (const text of ["secret", "https://secret", ...ends.map((end) => `redis://:secret${end}`)]) {
      const refusal = parseRedisUrl(text)
      assert.isTrue(Result.isFailure(refusal))
      assert.notInclude(JSON.stringify(refusal), "secret")
    }
  })
})
