-- Decisions on quota. All keys carry the hash tag of the model, so they are in one slot of a Cluster. The key of a set
-- contains the current generation, which only the script can read.

-- A reservation is open for less than a month, so none is open after 40 days.
local KEEP_MILLIS = 40 * 24 * 3600000

-- Changes at every start of the server, and differs on every server that replaces it.
local function run_id()
  return string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
end
local function expire(...)
  for _, key in ipairs({...}) do redis.call('PEXPIRE', key, KEEP_MILLIS) end
end

-- Returns {'epoch'} when the process has not confirmed the current epoch and must not decide; otherwise nil.
local function refusal_of(epoch, confirmed)
  local id, run = unpack(redis.call('HMGET', epoch, 'id', 'run'))
  if not id or id ~= confirmed or run ~= run_id() then return {'epoch'} end
end
local function set_key(meta, prefix, set)
  local generation = redis.call('HGET', meta, 'gen')
  return generation and prefix .. ':' .. generation .. ':s:' .. set
end
local function size(key)
  return key and redis.call('ZCARD', key) or 0
end

-- script: begin-epoch
-- Returns the current epoch as {id, milliseconds until it admits}. Begins a new one when there is none, or when it began on
-- another server.
--
-- KEYS: epoch. ARGV: id of the new epoch, milliseconds of its grace period.
local id, run, opens = unpack(redis.call('HMGET', KEYS[1], 'id', 'run', 'opens'))
local now = now_millis()
if not id or run ~= run_id() then
  id, opens = ARGV[1], now + ARGV[2]
  redis.call('HSET', KEYS[1], 'id', id, 'run', run_id(), 'opens', opens)
end
return {id, math.max(0, opens - now)}

-- script: reserve
-- Reserves units, all or none: {'reserved'}, {'exceeded'}, or {'expired', now} when there would be enough without the units
-- that have expired at `now`; or what `refusal_of` returns. Called again with that `now`, it drops those units.
--
-- KEYS: meta, epoch, open, reserved. ARGV: prefix, set, limit, confirmed epoch, milliseconds a unit is held, `now` of the
-- previous answer or an empty text, then the reservation ids.
local meta, epoch, open, reserved = unpack(KEYS)
local prefix, set, limit, confirmed, hold, expired_before = unpack(ARGV, 1, 6)
local refusal = refusal_of(epoch, confirmed)
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

-- script: confirm
-- Returns 1 when every unit is held or charged, and lets the held ones expire later; otherwise 0. It writes, so that a
-- server that has become a replica refuses it.
--
-- KEYS: meta, open. ARGV: prefix, set, milliseconds a unit is held, then the reservation ids.
local meta, open = unpack(KEYS)
local prefix, set, hold = unpack(ARGV, 1, 3)
local counted, expires = set_key(meta, prefix, set), now_millis() + hold
for i = 4, #ARGV do
  if redis.call('ZSCORE', open, ARGV[i]) then
    redis.call('ZADD', open, expires, ARGV[i])
  elseif not (counted and redis.call('ZSCORE', counted, ARGV[i])) then
    return 0
  end
end
return 1

-- script: release
-- Releases open units. KEYS: open, reserved. ARGV: set, then the reservation ids.
local open, reserved = unpack(KEYS)
for i = 2, #ARGV do redis.call('ZREM', open, ARGV[i]) end
if redis.call('EXISTS', open) == 0 then redis.call('SREM', reserved, ARGV[1]) end

-- script: counts
-- The number of charges in each set: {'counted', n, ...}, or what `refusal_of` returns. KEYS: meta, epoch. ARGV: prefix,
-- confirmed epoch, sets.
local refusal = refusal_of(KEYS[2], ARGV[2])
if refusal then return refusal end
local answer = {'counted'}
for i = 3, #ARGV do answer[i - 1] = size(set_key(KEYS[1], ARGV[1], ARGV[i])) end
return answer
