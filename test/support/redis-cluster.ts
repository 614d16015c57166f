import { Effect, type Scope } from "effect"
import { freePort, type RedisServer, startRedisServer } from "./redis-server.ts"

export interface RedisCluster {
  readonly url: string
  readonly nodes: ReadonlyArray<RedisServer>
  /** Runs a command on every node. */
  readonly onAll: (...words: ReadonlyArray<string | number>) => Effect.Effect<ReadonlyArray<unknown>>
}

/** Starts three nodes that share the slots, without replicas. They end with the scope. */
export const startRedisCluster = Effect.gen(function* (): Effect.gen.Return<RedisCluster, never, Scope.Scope> {
  const nodes = yield* Effect.forEach([0, 1, 2], startNode)
  const [first] = nodes
  for (const { busPort, epoch, server } of nodes) {
    yield* server.command("CLUSTER", "ADDSLOTSRANGE", epoch * 5461, epoch === 2 ? 16383 : (epoch + 1) * 5461 - 1)
    yield* server.command("CLUSTER", "SET-CONFIG-EPOCH", epoch + 1)
    if (first !== undefined && server !== first.server) {
      yield* first.server.command("CLUSTER", "MEET", "127.0.0.1", server.port, busPort)
    }
  }
  const servers = nodes.map(({ server }) => server)
  for (const server of servers) yield* untilReady(server)
  return {
    url: servers[0]?.url ?? "",
    nodes: servers,
    onAll: (...words) => Effect.forEach(servers, ({ command }) => command(...words))
  }
})

const startNode = Effect.fnUntraced(function* (epoch: number) {
  const busPort = yield* Effect.promise(freePort)
  const server = yield* startRedisServer({
    arguments: ["--cluster-enabled", "yes", "--cluster-port", String(busPort), "--cluster-node-timeout", "2000"]
  })
  return { busPort, epoch, server }
})

const untilReady = (server: RedisServer): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let tries = 0; tries < 1_000; tries++) {
      const info = String(yield* server.command("CLUSTER", "INFO"))
      if (info.includes("cluster_state:ok") && info.includes("cluster_known_nodes:3")) return
      // The real clock, not that of the test: the nodes need time to find each other.
      yield* Effect.promise(() => new Promise((resume) => setTimeout(resume, 20)))
    }
    return yield* Effect.die("the Redis Cluster does not become ready")
  })
