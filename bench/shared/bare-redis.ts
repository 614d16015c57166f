import { Redis } from "ioredis"
import type { Write } from "../../ports/read-models.ts"

/** The baseline: ioredis and one Lua script per batch, with the same commands as the service. */
export interface BareRedis {
  readonly apply: (model: string, writes: ReadonlyArray<Write>, after: number, upTo: number) => Promise<void>
  /** Reserves a quota unit if one remains. */
  readonly reserve: (set: string, id: string, limit: number) => Promise<boolean>
  readonly close: () => void
}

const apply = `
local at = redis.call('GET', KEYS[1])
if (at or '0') ~= ARGV[1] then return at end
local i = 3
while i <= #ARGV do
  if ARGV[i] == 'row' then redis.call('HSET', KEYS[1] .. ARGV[i + 1], ARGV[i + 2], ARGV[i + 3])
  elseif ARGV[i] == 'count' then redis.call('HINCRBY', KEYS[1] .. ARGV[i + 1], ARGV[i + 2], ARGV[i + 3])
  else redis.call('ZADD', KEYS[1] .. ARGV[i + 1], ARGV[i + 3], ARGV[i + 2]) end
  i = i + 4
end
redis.call('SET', KEYS[1], ARGV[2])
return ARGV[2]`

const reserve = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 1 end
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
return redis.call('HSET', KEYS[1], ARGV[1], '1')`

export const openBareRedis = async (port: number): Promise<BareRedis> => {
  const redis = new Redis(port, "127.0.0.1", { protocol: 2 })
  const [applySha, reserveSha] = await Promise.all([redis.script("LOAD", apply), redis.script("LOAD", reserve)])
  return {
    apply: async (model, writes, after, upTo) => {
      const words = writes.flatMap((write) => {
        if (write._tag === "SetFields") return ["row", write.table, write.key, JSON.stringify(write.fields)]
        if (write._tag === "AddToFields") {
          const row = `${write.table}:${write.key}`
          return Object.entries(write.amounts).flatMap(([field, amount]) => ["count", row, field, amount])
        }
        if (write._tag === "AddMember") return ["member", write.set, write.member, write.score]
        throw new Error(`unexpected write for a verified slip: ${write._tag}`)
      })
      await redis.evalsha(String(applySha), 1, `bare:${model}:`, after, upTo, ...words)
    },
    reserve: async (set, id, limit) => (await redis.evalsha(String(reserveSha), 1, `bare:${set}`, id, limit)) === 1,
    close: () => redis.disconnect()
  }
}
