import { positionsLua } from "./positions.ts"
import { script } from "./script.ts"

/**
 * Forgets a model: its generation goes to the garbage, for the sweeper. KEYS: meta. ARGV: prefix of the keys, and where
 * the model is complete again, if that was said.
 *
 * `top` stays, so that nobody takes the model for complete before it is back there. Where it is to be complete earlier,
 * as with a log that was restored, that is its `top`.
 */
export const clearScript = script(
  positionsLua,
  `
local gen, top = unpack(redis.call('HMGET', KEYS[1], 'gen', 'top'))
if gen then redis.call('RPUSH', ARGV[1] .. ':garbage', gen) end
redis.call('HDEL', KEYS[1], 'gen', 'at', 'hold', 'holder')
if ARGV[2] and top and position_behind(ARGV[2], top) then redis.call('HSET', KEYS[1], 'top', ARGV[2]) end
return 1
`
)

/** Forgets what stands beside a model, to the last trace. KEYS: its meta. ARGV: prefix of the keys. */
export const clearBesideScript = script(`
local gen = redis.call('HGET', KEYS[1], 'gen')
if gen then redis.call('RPUSH', ARGV[1] .. ':garbage', gen) end
redis.call('DEL', KEYS[1])
return 1
`)

/**
 * Puts what stands beside a model in its place, unless that is behind: 0. Otherwise 1, and the checkpoint.
 *
 * KEYS: meta, meta of what stands beside. ARGV: prefix of the keys, `1` if reservations are counted by the model; then
 * those that it counts now are no longer under way.
 */
export const promoteScript = script(
  positionsLua,
  `
local prefix = ARGV[1]
local gen, at, top = unpack(redis.call('HMGET', KEYS[1], 'gen', 'at', 'top'))
local new_gen, new_at = unpack(redis.call('HMGET', KEYS[2], 'gen', 'at'))
at, new_at = at or '0/0', new_at or '0/0'
if position_behind(new_at, at) then return {0, at} end
if not new_gen then return {1, at} end
if gen then redis.call('RPUSH', prefix .. ':garbage', gen) end
if not top or position_behind(top, new_at) then top = new_at end
redis.call('HSET', KEYS[1], 'gen', new_gen, 'at', new_at, 'top', top)
redis.call('HDEL', KEYS[1], 'hold', 'holder')
redis.call('DEL', KEYS[2])
if ARGV[2] == '1' then
  for _, set in ipairs(redis.call('SMEMBERS', prefix .. ':reserved')) do
    local counted = prefix .. ':' .. new_gen .. ':s:' .. set
    local open = prefix .. ':open:' .. set
    for _, member in ipairs(redis.call('ZRANGE', open, 0, -1)) do
      if redis.call('ZSCORE', counted, member) then redis.call('ZREM', open, member) end
    end
  end
end
return {1, new_at}
`
)

/**
 * Deletes a part of the oldest generation in the garbage; 1 while there is more to do. UNLINK leaves it to a thread of
 * the server to give the memory back. KEYS: the garbage. ARGV: prefix of the keys, how many tables and sets at a time.
 */
export const sweepScript = script(`
local gen = redis.call('LINDEX', KEYS[1], 0)
if not gen then return 0 end
local base = ARGV[1] .. ':' .. gen .. ':'
for _, name in ipairs(redis.call('SPOP', base .. 'names', ARGV[2])) do redis.call('UNLINK', base .. name) end
if redis.call('EXISTS', base .. 'names') == 0 then redis.call('LPOP', KEYS[1]) end
return redis.call('EXISTS', KEYS[1])
`)
