import { Context, Effect, Layer, Redacted, Result } from "effect"
import { layerRedisConnection, RedisConnection } from "../stores/redis/connection.ts"
import { keyPrefixOf } from "../stores/redis/keys.ts"
import { parseRedisUrl } from "../stores/redis/redis-url.ts"
import { makeScript } from "../stores/redis/scripts.ts"
import { isClusterNode, parseInfo } from "../stores/redis/client.ts"
import { fail, type Finding, ok, warn } from "./finding.ts"
import { judgeCluster, judgeInfo } from "./redis-info.ts"
import { judgeWay } from "./tls-check.ts"

const ABOUT = "redis"

export interface RedisReport {
  readonly findings: ReadonlyArray<Finding>
  readonly isUsable: boolean
}

/** Not a key that is kept: it only says which node is asked. */
const asked = keyPrefixOf("doctor")

const clusterInfo = makeScript("return redis.call('CLUSTER', 'INFO')")

const messageOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

const judgeClusterOf = ({ run }: RedisConnection["Service"]) =>
  Effect.match(run("cluster info", clusterInfo, [asked], []), {
    onSuccess: (text) => judgeCluster(parseInfo(String(text))),
    onFailure: ({ cause }) =>
      warn(ABOUT, `the state of the Cluster could not be looked at: ${messageOf(cause)}`, "see redis-cli cluster info")
  })

const look = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const redis = Context.get(yield* Layer.build(layerRedisConnection({ url })), RedisConnection)
  const servers = yield* Effect.result(redis.info("default"))
  if (Result.isFailure(servers)) {
    const message = `${redis.place} does not tell how it is: ${messageOf(servers.failure.cause)}`
    return [warn(ABOUT, message, "let the user of REDIS_URL run INFO, and look again")]
  }
  const isCluster = servers.success.some(({ fields }) => isClusterNode(fields))
  const findings = servers.success.flatMap(({ fields, place }) =>
    judgeInfo(fields).map((finding) =>
      servers.success.length === 1 ? finding : { ...finding, message: `${place}: ${finding.message}` }
    )
  )
  const place = ok(ABOUT, `${redis.place} can be reached${isCluster ? ", a Cluster" : ""}`)
  return [place, ...(isCluster ? [yield* judgeClusterOf(redis)] : []), ...findings]
})

/** The server or the Cluster behind REDIS_URL: whether it is there, and keeps what it is given. */
export const judgeRedis = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const parsed = parseRedisUrl(Redacted.value(url))
  const way = Result.isFailure(parsed) ? [] : judgeWay(ABOUT, "REDIS_URL", {
    hosts: [parsed.success.host],
    tls: parsed.success.tls,
    encrypted: "use rediss://"
  })
  const report = yield* Effect.match(Effect.scoped(look(url)), {
    onSuccess: (findings): RedisReport => ({ findings, isUsable: true }),
    onFailure: ({ cause }) => ({
      findings: [
        fail(
          ABOUT,
          messageOf(cause),
          "see that it runs, and that REDIS_URL leads to it; until then no process starts, and those that run answer "
            + "API_SERVER_ERROR"
        )
      ],
      isUsable: false
    })
  })
  return { ...report, findings: [...way, ...report.findings] } satisfies RedisReport
})
