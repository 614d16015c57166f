-- Writes to a model. ARGV begins with the prefix of its keys.

-- script: apply
-- Applies a batch if `after` is the current checkpoint, and returns {1, checkpoint}. Otherwise returns {0, checkpoint};
-- while the model is dumped, {2, checkpoint}. Both change nothing.
--
-- KEYS: meta. ARGV: prefix, `after`, `upTo`, `1` if the model counts reservations, the writes. Each table or set is named
-- once, with up to 1000 of its rows or members. The counters and the checkpoint are set last:
-- Redis does not undo a script that fails, but the projector repeats its batch.
local prefix, after, up_to, is_counted = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1'
local meta = redis.call('HMGET', KEYS[1], 'gen', 'at', 'hold')
local gen, at, hold = meta[1], meta[2] or '0/0', meta[3]
if at ~= after then return {0, at} end
if hold then
  if now_millis() < tonumber(hold) then return {2, at} end
  redis.call('HDEL', KEYS[1], 'hold', 'holder')
end
if not gen then gen = redis.call('INCR', prefix .. ':generations') end
local base = prefix .. ':' .. gen .. ':'
local names = base .. 'names'

local function merged(row, over)
  local fields = cjson.decode(row)
  for field, value in pairs(cjson.decode(over)) do fields[field] = value end
  return cjson.encode(fields)
end

-- Amounts and counters are whole numbers below 2^53, which Lua represents.
local function counted(row, amounts)
  local fields = row and cjson.decode(row) or {}
  for field, amount in pairs(cjson.decode(amounts)) do
    fields[field] = string.format('%.0f', (tonumber(fields[field] or '0') or 0) + amount)
  end
  return cjson.encode(fields)
end

local new_names, counters = {}, {}
local i, last = 5, #ARGV
while i <= last do
  local kind, target, count = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
  local first = i + 3
  if kind == 'A' then
    local next_write = first + 2 * count
    local name = 's:' .. target
    if redis.call('ZADD', base .. name, unpack(ARGV, first, next_write - 1)) > 0 then new_names[#new_names + 1] = name end
    if is_counted then
      local open = prefix .. ':open:' .. target
      if redis.call('EXISTS', open) == 1 then
        for member = first + 1, next_write - 1, 2 do redis.call('ZREM', open, ARGV[member]) end
      end
    end
    i = next_write
  elseif kind == 'S' or kind == 'I' then
    local next_write = first + 2 * count
    local name = 't:' .. target
    local keys, rows = {}, {}
    for key = first, next_write - 1, 2 do keys[#keys + 1] = ARGV[key] end
    local found, is_new = redis.call('HMGET', base .. name, unpack(keys)), false
    for n = 1, count do
      local row = ARGV[first + 2 * n - 1]
      if kind == 'I' then row = counted(found[n], row) elseif found[n] then row = merged(found[n], row) end
      if not found[n] then is_new = true end
      rows[2 * n - 1], rows[2 * n] = keys[n], row
    end
    if kind == 'I' then counters[#counters + 1] = {base .. name, rows}
    else redis.call('HSET', base .. name, unpack(rows)) end
    if is_new then new_names[#new_names + 1] = name end
    i = next_write
  else
    local command, letter = 'ZREM', 's:'
    if kind == 'D' then command, letter = 'HDEL', 't:' end
    i = first + count
    redis.call(command, base .. letter .. target, unpack(ARGV, first, i - 1))
  end
end

-- Adding a name again changes nothing.
for from = 1, #new_names, 1000 do
  redis.call('SADD', names, unpack(new_names, from, math.min(from + 999, #new_names)))
end
for _, counter in ipairs(counters) do redis.call('HSET', counter[1], unpack(counter[2])) end
redis.call('HSET', KEYS[1], 'gen', gen, 'at', up_to)
return {1, up_to}

-- script: clear
-- Clears a model or a shadow model: the sweeper deletes its generation later. Clearing a model begins a new epoch of the
-- quota in the same step, so that no process decides from the empty model. The epoch keeps its grace period, because
-- no reservation was lost.
--
-- KEYS: meta; of a model also its epoch. ARGV: prefix, id of the new epoch.
local gen = redis.call('HGET', KEYS[1], 'gen')
if gen then redis.call('RPUSH', ARGV[1] .. ':garbage', gen) end
redis.call('DEL', KEYS[1])
if KEYS[2] and redis.call('EXISTS', KEYS[2]) == 1 then redis.call('HSET', KEYS[2], 'id', ARGV[2]) end
return 1

-- script: promote
-- Replaces a model by its shadow model, and returns {1, checkpoint}; {0, checkpoint} when the shadow model is behind the
-- model, or before the first event: then a restore fills it. Removes the reservations that the shadow model counts.
--
-- KEYS: meta, meta of the shadow model. ARGV: prefix, `1` if the model counts reservations.
local prefix = ARGV[1]
local gen, at = unpack(redis.call('HMGET', KEYS[1], 'gen', 'at'))
local new_gen, new_at = unpack(redis.call('HMGET', KEYS[2], 'gen', 'at'))
at, new_at = at or '0/0', new_at or '0/0'
if position_before(new_at, at) then return {0, at} end
if not new_gen then return {1, at} end
if string.match(new_at, '^0/') then return {0, at} end
if gen then redis.call('RPUSH', prefix .. ':garbage', gen) end
redis.call('HSET', KEYS[1], 'gen', new_gen, 'at', new_at)
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

-- script: sweep
-- Deletes a part of the oldest generation in the garbage; returns 1 while there is more. UNLINK frees the memory in a
-- thread of the server. KEYS: the garbage. ARGV: prefix, number of tables and sets to delete.
local gen = redis.call('LINDEX', KEYS[1], 0)
if not gen then return 0 end
local base = ARGV[1] .. ':' .. gen .. ':'
for _, name in ipairs(redis.call('SPOP', base .. 'names', ARGV[2])) do redis.call('UNLINK', base .. name) end
if redis.call('EXISTS', base .. 'names') == 0 then redis.call('LPOP', KEYS[1]) end
return redis.call('EXISTS', KEYS[1])
