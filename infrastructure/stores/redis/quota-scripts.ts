import { clockLua } from "./clock.ts"
import { positionsLua } from "./positions.ts"
import { script } from "./script.ts"

/*
 * The scripts of the quota. Their keys all carry the tag of the model; the key of a set is computed from the generation
 * that is in force, which nobody but the script can know: it is in the same slot, so a Cluster has it at hand.
 */

/** Longer than a month is reserved in: nothing of it is under way any more when its keys go. */
const keepMillis = 40 * 24 * 3_600_000

const common = `${clockLua}
-- Another one after every start of the server, and on every other server that takes over from it.
local function run_id()
  return string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
end
local function expire(...)
  for _, key in ipairs({...}) do redis.call('PEXPIRE', key, ${keepMillis}) end
end
`

/**
 * Lua: why nothing can be said from what this Redis holds, or nil. `epoch` is another one than the process has proven,
 * `behind` is a model that is not as far as it was.
 */
const standing = `
local function why_not(meta, epoch, proven)
  local id, run = unpack(redis.call('HMGET', epoch, 'id', 'run'))
  if not id or id ~= proven or run ~= run_id() then return {'epoch'} end
  local at, top = unpack(redis.call('HMGET', meta, 'at', 'top'))
  if top and position_behind(at or '0/0', top) then return {'behind', top} end
end
local function set_key(meta, prefix, set)
  local generation = redis.call('HGET', meta, 'gen')
  return generation and prefix .. ':' .. generation .. ':s:' .. set
end
local function size(key)
  return key and redis.call('ZCARD', key) or 0
end
`

/**
 * Gives the epoch in force as `{id, milliseconds until it admits}`. Where there is none, or this server is not the one
 * that it began on, a new one begins.
 *
 * KEYS: epoch. ARGV: id of the new epoch, milliseconds before it admits.
 */
export const enterEpochScript = script(
  common,
  `
local id, run, opens = unpack(redis.call('HMGET', KEYS[1], 'id', 'run', 'opens'))
local now = now_millis()
if not id or run ~= run_id() then
  id, opens = ARGV[1], now + ARGV[2]
  redis.call('HSET', KEYS[1], 'id', id, 'run', run_id(), 'opens', opens)
end
return {id, math.max(0, opens - now)}
`
)

/**
 * Reserves units, all or none: `{'reserved'}`, `{'exceeded'}`, or `{'expired', now}` when there would be enough without
 * the units whose time was over at `now`; or what `why_not` gives. Called again with that `now`, it gives those units up.
 *
 * KEYS: meta, epoch, open, reserved. ARGV: prefix, set, limit, confirmed epoch, milliseconds a unit is held, `now` of
 * the answer before or '', then the reservation ids.
 */
export const reserveScript = script(
  positionsLua,
  common,
  standing,
  `
local meta, epoch, open, reserved = unpack(KEYS)
local prefix, set, limit, proven, hold, expired_before = unpack(ARGV, 1, 6)
local refusal = why_not(meta, epoch, proven)
if refusal then return refusal end

if expired_before ~= '' then redis.call('ZREMRANGEBYSCORE', open, '-inf', expired_before) end
local counted = set_key(meta, prefix, set)
local wanted, added = {}, 0
for i = 7, #ARGV do
  if not (counted and redis.call('ZSCORE', counted, ARGV[i])) then
    wanted[#wanted + 1] = ARGV[i]
    if not redis.call('ZSCORE', open, ARGV[i]) then added = added + 1 end
  end
end
local now = now_millis()
if added > 0 then
  local free = tonumber(limit) - size(counted) - size(open)
  if added > free then
    if added > free + redis.call('ZCOUNT', open, '-inf', now) then return {'exceeded'} end
    return {'expired', string.format('%.0f', now)}
  end
end
for _, id in ipairs(wanted) do redis.call('ZADD', open, now + hold, id) end
if #wanted > 0 then
  redis.call('SADD', reserved, set)
  expire(open, reserved)
end
return {'reserved'}
`
)

/** Releases open units. KEYS: open, reserved. ARGV: set, then the reservation ids. */
export const releaseScript = script(`
local open, reserved = unpack(KEYS)
for i = 2, #ARGV do redis.call('ZREM', open, ARGV[i]) end
if redis.call('EXISTS', open) == 0 then redis.call('SREM', reserved, ARGV[1]) end
`)

/**
 * How many each set of the model counts, as `{'counted', n, …}`, or what `why_not` says.
 *
 * KEYS: meta, epoch. ARGV: prefix, proven epoch, sets.
 */
export const countsScript = script(
  positionsLua,
  common,
  standing,
  `
local refusal = why_not(KEYS[1], KEYS[2], ARGV[2])
if refusal then return refusal end
local answer = {'counted'}
for i = 3, #ARGV do answer[i - 1] = size(set_key(KEYS[1], ARGV[1], ARGV[i])) end
return answer
`
)

/**
 * Lets the model be complete where it is, after a log that was set back: it will not be where it was.
 *
 * KEYS: meta. ARGV: the furthest checkpoint that the log never reached, the end of the log.
 */
export const lowerTopScript = script(
  positionsLua,
  `
local at, top = unpack(redis.call('HMGET', KEYS[1], 'at', 'top'))
if at and top == ARGV[1] and not position_behind(at, ARGV[2]) then redis.call('HSET', KEYS[1], 'top', at) end
`
)
