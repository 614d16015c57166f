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
  for (const { epoch, server } of nodes) {
    yield* server.command("CLUSTER", "ADDSLOTSRANGE", epoch * 5461, epoch === 2 ? 16383 : (epoch + 1) * 5461 - 1)
    yield* server.command("CLUSTER", "SET-CONFIG-EPOCH", epoch + 1)
  }
  for (const node of nodes) yield* untilReady(node, nodes.filter((other) => other !== node))
  const servers = nodes.map(({ server }) => server)
  return {
    url: servers[0]?.url ?? "",
    nodes: servers,
    onAll: (...words) => Effect.forEach(servers, ({ command }) => command(...words))
  }
})

interface Node {
  readonly epoch: number
  readonly busPort: number
  readonly server: RedisServer
}

/** Longer than a test: no test needs the failure of a node to be detected, and a slow node has not failed. */
const NODE_TIMEOUT_MILLIS = 600_000

const startNode = Effect.fnUntraced(function* (epoch: number): Effect.fn.Return<Node, never, Scope.Scope> {
  const busPort = yield* Effect.promise(freePort)
  const server = yield* startRedisServer({
    arguments: Object.entries({
      "cluster-enabled": "yes",
      "cluster-port": busPort,
      "cluster-node-timeout": NODE_TIMEOUT_MILLIS
    }).flatMap(([name, value]) => [`--${name}`, String(value)])
  })
  return { epoch, busPort, server }
})

/** Waits until a node knows the others, and each slot has a node. */
const untilReady = ({ server }: Node, others: ReadonlyArray<Node>): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (true) {
      const info = String(yield* server.command("CLUSTER", "INFO"))
      const known = Number(/cluster_known_nodes:(\d+)/u.exec(info)?.[1])
      if (info.includes("cluster_state:ok") && known === 1 + others.length) return
      if (known <= others.length) {
        // Repeated, because a node forgets another one that it could not reach.
        for (const other of others) {
          yield* server.command("CLUSTER", "MEET", "127.0.0.1", other.server.port, other.busPort)
        }
      }
      // The real clock, not that of the test: the nodes need time to find each other.
      yield* Effect.promise(() => new Promise((resume) => setTimeout(resume, 20)))
    }
  })
