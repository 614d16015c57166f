import { clockLua } from "./clock.ts"
import { positionsLua } from "./positions.ts"
import { script } from "./script.ts"

/** What came of a batch; second in the reply is the checkpoint in force. */
export const applyOutcome = { refused: 0, applied: 1, held: 2 } as const

/**
 * Applies the batch if `after` is the checkpoint in force, and moves it. Changes nothing while the model is dumped.
 *
 * KEYS: meta. ARGV: prefix of the keys, `after`, `upTo`, `1` if reservations are counted by the model, the writes.
 * The checkpoint is set last: a script that breaks off in the middle is not undone, but its batch is repeated.
 */
export const applyScript = script(
  positionsLua,
  clockLua,
  `
local prefix, after, up_to, is_counted = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1'
local meta = redis.call('HMGET', KEYS[1], 'gen', 'at', 'top', 'hold')
local gen, at, top, hold = meta[1], meta[2] or '0/0', meta[3], meta[4]
if at ~= after then return {0, at} end
if hold then
  if now_millis() < tonumber(hold) then return {2, at} end
  redis.call('HDEL', KEYS[1], 'hold', 'holder')
end
if not gen then gen = redis.call('INCR', prefix .. ':generations') end
local base = prefix .. ':' .. gen .. ':'
local names = base .. 'names'

local indexed = {}
local function index(name)
  if indexed[name] then return end
  indexed[name] = true
  redis.call('SADD', names, name)
end
local function merged(row, over)
  local fields = cjson.decode(row)
  for field, value in pairs(cjson.decode(over)) do fields[field] = value end
  return cjson.encode(fields)
end

local i, last = 5, #ARGV
while i <= last do
  local kind, place, key = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if kind == 'S' then
    local name = 't:' .. place
    local row = redis.call('HGET', base .. name, key)
    redis.call('HSET', base .. name, key, row and merged(row, ARGV[i + 3]) or ARGV[i + 3])
    if not row then index(name) end
    i = i + 4
  elseif kind == 'A' then
    local name = 's:' .. place
    if redis.call('ZADD', base .. name, ARGV[i + 3], key) == 1 then index(name) end
    if is_counted then redis.call('ZREM', prefix .. ':open:' .. place, key) end
    i = i + 4
  elseif kind == 'D' then
    redis.call('HDEL', base .. 't:' .. place, key)
    i = i + 3
  else
    redis.call('ZREM', base .. 's:' .. place, key)
    i = i + 3
  end
end

if not top or top == at or position_behind(top, up_to) then top = up_to end
redis.call('HSET', KEYS[1], 'gen', gen, 'at', up_to, 'top', top)
return {1, up_to}
`
)
