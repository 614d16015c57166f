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
-- Reserves units in every set, all or none: {'reserved'}, {'exceeded'}, or {'expired', now} when there would be enough
-- without the units that have expired at `now`; or what `refusal_of` returns. Called again with that `now`, it drops those
-- units.
--
-- KEYS: meta, epoch, reserved, then the open units of each set. ARGV: prefix, confirmed epoch, milliseconds a unit is
-- held, `now` of the previous answer or an empty text, then each set with its limit, then the reservation ids.
local meta, epoch, reserved = unpack(KEYS)
local prefix, confirmed, hold, expired_before = unpack(ARGV, 1, 4)
local refusal = refusal_of(epoch, confirmed)
if refusal then return refusal end

local now, all_wanted, is_expired = now_millis(), {}, false
for i = 4, #KEYS do
  local open, set, limit = KEYS[i], ARGV[2 * i - 3], tonumber(ARGV[2 * i - 2])
  if expired_before ~= '' then redis.call('ZREMRANGEBYSCORE', open, '-inf', expired_before) end
  local counted = set_key(meta, prefix, set)
  local wanted, added = {}, 0
  for j = 2 * #KEYS - 1, #ARGV do
    if not (counted and redis.call('ZSCORE', counted, ARGV[j])) then
      wanted[#wanted + 1] = ARGV[j]
      if not redis.call('ZSCORE', open, ARGV[j]) then added = added + 1 end
    end
  end
  if added > 0 then
    local free = limit - size(counted) - size(open)
    if added > free then
      if added > free + redis.call('ZCOUNT', open, '-inf', now) then return {'exceeded'} end
      is_expired = true
    end
  end
  all_wanted[i] = wanted
end
if is_expired then return {'expired', string.format('%.0f', now)} end
for i = 4, #KEYS do
  local open, wanted = KEYS[i], all_wanted[i]
  for _, id in ipairs(wanted) do redis.call('ZADD', open, now + hold, id) end
  if #wanted > 0 then
    redis.call('SADD', reserved, ARGV[2 * i - 3])
    expire(open, reserved)
  end
end
return {'reserved'}

-- script: confirm
-- Returns 1 when every unit is held or charged in every set, and lets the held ones expire later; otherwise 0. It writes,
-- so that a server that has become a replica refuses it.
--
-- KEYS: meta, then the open units of each set. ARGV: prefix, milliseconds a unit is held, the sets, then the reservation
-- ids.
local prefix, expires = ARGV[1], now_millis() + ARGV[2]
for i = 2, #KEYS do
  local open, counted = KEYS[i], set_key(KEYS[1], prefix, ARGV[i + 1])
  for j = #KEYS + 2, #ARGV do
    if redis.call('ZSCORE', open, ARGV[j]) then
      redis.call('ZADD', open, expires, ARGV[j])
    elseif not (counted and redis.call('ZSCORE', counted, ARGV[j])) then
      return 0
    end
  end
end
return 1

-- script: release
-- Releases open units. KEYS: reserved, then the open units of each set. ARGV: the sets, then the reservation ids.
for i = 2, #KEYS do
  for j = #KEYS, #ARGV do redis.call('ZREM', KEYS[i], ARGV[j]) end
  if redis.call('EXISTS', KEYS[i]) == 0 then redis.call('SREM', KEYS[1], ARGV[i - 1]) end
end

-- script: counts
-- The number of charges in each set: {'counted', n, ...}, or what `refusal_of` returns. KEYS: meta, epoch. ARGV: prefix,
-- confirmed epoch, sets.
local refusal = refusal_of(KEYS[2], ARGV[2])
if refusal then return refusal end
local answer = {'counted'}
for i = 3, #ARGV do answer[i - 1] = size(set_key(KEYS[1], ARGV[1], ARGV[i])) end
return answer
