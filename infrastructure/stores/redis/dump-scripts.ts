import { clockLua } from "./clock.ts"
import { script } from "./script.ts"

/** How long a model stays as it is for somebody who dumps it and is not heard of any more. */
const HOLD_MILLIS = 5_000

/**
 * Holds a model for the one who dumps it, as far as nobody else does: 1 and the checkpoint, otherwise 0. KEYS: meta.
 * ARGV: a name for the holder.
 */
export const holdScript = script(
  clockLua,
  `
local meta = redis.call('HMGET', KEYS[1], 'at', 'hold')
local now = now_millis()
if meta[2] and now < tonumber(meta[2]) then return {0} end
redis.call('HSET', KEYS[1], 'hold', now + ${HOLD_MILLIS}, 'holder', ARGV[1])
return {1, meta[1] or '0/0'}
`
)

/**
 * Goes on reading what is held, and holds it for longer: 1, then for each part where to go on (`0`: that was all) and
 * its content. 0 when it is not held any more: it may have been written to. KEYS: meta. ARGV: prefix of the keys,
 * holder, then name and place for each part; the part `names` is the list of all others.
 */
export const dumpScript = script(
  clockLua,
  `
local meta = redis.call('HMGET', KEYS[1], 'gen', 'holder')
if meta[2] ~= ARGV[2] then return {0} end
redis.call('HSET', KEYS[1], 'hold', now_millis() + ${HOLD_MILLIS})
local base = ARGV[1] .. ':' .. (meta[1] or '0') .. ':'
local scans = {n = 'SSCAN', t = 'HSCAN', s = 'ZSCAN'}
local reply = {1}
for i = 3, #ARGV, 2 do
  local name = ARGV[i]
  local scanned = redis.call(scans[string.sub(name, 1, 1)], base .. name, ARGV[i + 1], 'COUNT', 200)
  reply[#reply + 1] = scanned[1]
  reply[#reply + 1] = scanned[2]
end
return reply
`
)

/** KEYS: meta. ARGV: holder. */
export const releaseScript = script(`
if redis.call('HGET', KEYS[1], 'holder') == ARGV[1] then redis.call('HDEL', KEYS[1], 'hold', 'holder') end
return 1
`)
