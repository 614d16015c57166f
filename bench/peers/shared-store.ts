import {
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  StreamNotFoundError,
  WrongExpectedVersionError
} from "@eventstore/db-client"
import { Redis } from "ioredis"
import { createHash } from "node:crypto"
import type { PeerStore } from "./peer-service.ts"
import type { PeerBranch } from "./sqlite-store.ts"

/** The connections to the stores that several processes share. */
export interface SharedStores {
  readonly eventStoreUrl: string
  readonly redisUrl: string
}

/**
 * EventStoreDB and Redis through their usual clients: for each first verification one read of a stream, one append and
 * two commands of Redis. There are no read models, and a crash between the commands loses a unit of the quota.
 */
export const openSharedStore = async (
  { eventStoreUrl, redisUrl }: SharedStores,
  { apiKey, quota }: PeerBranch
): Promise<PeerStore> => {
  const log = EventStoreDBClient.connectionString(eventStoreUrl)
  const redis = new Redis(redisUrl)
  const keyOf = (digest: string) => `peer:key:${digest}`
  await redis.set(keyOf(createHash("sha256").update(apiKey).digest("hex")), "1")

  const exists = async (stream: string): Promise<boolean> => {
    try {
      for await (const _ of log.readStream(stream, { maxCount: 1 })) return true
      return false
    } catch (error) {
      if (error instanceof StreamNotFoundError) return false
      throw error
    }
  }

  return {
    record: async ({ keyDigest, sendingBank, transRef, transfer, verificationId }) => {
      const branch = await redis.get(keyOf(keyDigest))
      if (branch === null) return "unknown-key"
      const slip = createHash("sha256").update(`${branch}:${sendingBank}:${transRef}`).digest("hex")
      const stream = `peer-${slip}`
      if (await exists(stream)) return "duplicate"
      const used = `peer:used:${branch}`
      if (await redis.incr(used) > quota) {
        await redis.decr(used)
        return "quota-exceeded"
      }
      const event = jsonEvent({ type: "SlipVerified", data: { branch, verificationId, transfer } })
      try {
        await log.appendToStream(stream, event, { expectedRevision: NO_STREAM })
        return "first"
      } catch (error) {
        if (!(error instanceof WrongExpectedVersionError)) throw error
        await redis.decr(used)
        return "duplicate"
      }
    },
    close: async () => {
      redis.disconnect()
      await log.dispose()
    }
  }
}
