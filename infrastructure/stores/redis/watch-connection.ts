import type { Cluster, Redis } from "ioredis"
import type { Client } from "./open-client.ts"

export interface ConnectionNews {
  /** A connection that stood is gone; told once until it is back. `why` is empty when nobody said. */
  readonly lost: (place: string, why: string) => void
  readonly back: (place: string) => void
}

/** Tells when connections go and come back, of each node of a Cluster by itself, until the returned function runs. */
export const watchConnection = (client: Client, news: ConnectionNews): () => void => {
  const lost = new Set<string>()
  let isWatching = true

  const watch = (redis: Redis) => {
    const place = `${redis.options.host}:${redis.options.port}`
    let stood = redis.status === "ready"
    let why = ""
    redis.on("error", (error) => {
      why = error.message
    })
    redis.on("close", () => {
      if (isWatching && stood && !lost.has(place)) {
        lost.add(place)
        news.lost(place, why)
      }
      stood = false
    })
    redis.on("ready", () => {
      stood = true
      why = ""
      if (isWatching && lost.delete(place)) news.back(place)
    })
  }

  if (isCluster(client)) {
    for (const node of client.nodes()) watch(node)
    client.on("+node", watch)
  } else watch(client)
  return () => {
    isWatching = false
  }
}

export const isCluster = (client: Client): client is Cluster => client.isCluster
