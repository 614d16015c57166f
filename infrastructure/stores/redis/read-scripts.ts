import { positionsLua } from "./positions.ts"
import { script } from "./script.ts"

/**
 * A look at a model: 1, the checkpoint, and what was found; 0 and the checkpoint alone when that is behind the floor.
 *
 * KEYS: meta. ARGV: prefix of the keys, floor, then what the look needs. A model that holds nothing is generation 0,
 * which is never given.
 */
const look = (lua: string) =>
  script(
    positionsLua,
    `
local meta = redis.call('HMGET', KEYS[1], 'gen', 'at')
local at = meta[2] or '0/0'
if position_behind(at, ARGV[2]) then return {0, at} end
local base = ARGV[1] .. ':' .. (meta[1] or '0') .. ':'
`,
    lua
  )

export const checkpointScript = look("return {1, at}")

/** ARGV: table, key. The row's text, or null. */
export const getScript = look("return {1, at, redis.call('HGET', base .. 't:' .. ARGV[3], ARGV[4])}")

/** ARGV: set. */
export const countScript = look("return {1, at, redis.call('ZCARD', base .. 's:' .. ARGV[3])}")

/** ARGV: set, member. The score, or null. */
export const hasScript = look("return {1, at, redis.call('ZSCORE', base .. 's:' .. ARGV[3], ARGV[4])}")

/**
 * ARGV: set, from, to, limit or -1, and where a page goes on: score and name of the last member of the page before.
 * Gives names and scores in turn.
 *
 * The member to go on behind may be gone. Its place is searched by halves among the members of its score, which are in
 * the order of their bytes; Lua's `<` would compare them by the locale of the server.
 */
export const membersScript = look(`
local set, from, to, limit = base .. 's:' .. ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])
local score, member = ARGV[7], ARGV[8]
local function bytes_behind(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x < y end
  end
  return #a < #b
end
local first = redis.call('ZCOUNT', set, '-inf', '(' .. from)
if score then
  local low = redis.call('ZCOUNT', set, '-inf', '(' .. score)
  local high = redis.call('ZCOUNT', set, '-inf', score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if bytes_behind(member, redis.call('ZRANGE', set, middle, middle)[1]) then high = middle else low = middle + 1 end
  end
  if low > first then first = low end
end
local last = redis.call('ZCOUNT', set, '-inf', to) - 1
if limit >= 0 and first + limit - 1 < last then last = first + limit - 1 end
if last < first then return {1, at, {}} end
return {1, at, redis.call('ZRANGE', set, first, last, 'WITHSCORES')}
`)
