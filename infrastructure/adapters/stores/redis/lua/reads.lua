-- Reads of a model. Each script returns 1, the checkpoint and its result; or 0 and the checkpoint when the checkpoint is
-- before the caller's high-water mark.
--
-- KEYS: meta. ARGV: prefix of the keys, high-water mark, then the arguments of the script. An empty model has generation
-- 0, which no model gets.
local meta = redis.call('HMGET', KEYS[1], 'gen', 'at')
local at = meta[2] or '0/0'
if position_before(at, ARGV[2]) then return {0, at} end
local base = ARGV[1] .. ':' .. (meta[1] or '0') .. ':'

-- script: checkpoint
return {1, at}

-- script: get
-- ARGV: table, key. The row as text, or null.
return {1, at, redis.call('HGET', base .. 't:' .. ARGV[3], ARGV[4])}

-- script: count
-- ARGV: set, and to count a part of it the lowest and the highest score.
local set = base .. 's:' .. ARGV[3]
if ARGV[4] then return {1, at, redis.call('ZCOUNT', set, ARGV[4], ARGV[5])} end
return {1, at, redis.call('ZCARD', set)}

-- script: has
-- ARGV: sets and members in turn. For each member 1 when it is in the set, otherwise 0.
local found = {}
for i = 3, #ARGV, 2 do
  found[#found + 1] = redis.call('ZSCORE', base .. 's:' .. ARGV[i], ARGV[i + 1]) and 1 or 0
end
return {1, at, found}

-- script: members
-- ARGV: set, from, to, limit or -1, 1 for the opposite order, and to continue a page the score and name of its last
-- member. Names and scores in turn, lowest first.
--
-- The member to continue after may be deleted. Binary search finds its position among the members of its score, which are
-- in the order of their bytes. Lua's `<` is not used, because it compares by the locale of the server.
local set, from, to, limit = base .. 's:' .. ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])
local reverse, score, member = ARGV[7] == '1', ARGV[8], ARGV[9]
local function bytes_before(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x < y end
  end
  return #a < #b
end
local first = redis.call('ZCOUNT', set, '-inf', '(' .. from)
local last = redis.call('ZCOUNT', set, '-inf', to) - 1
if score then
  local low = redis.call('ZCOUNT', set, '-inf', '(' .. score)
  local high = redis.call('ZCOUNT', set, '-inf', score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local name = redis.call('ZRANGE', set, middle, middle)[1]
    local is_after = bytes_before(member, name) or (reverse and name == member)
    if is_after then high = middle else low = middle + 1 end
  end
  if reverse then last = math.min(last, low - 1) else first = math.max(first, low) end
end
if limit >= 0 and reverse then first = math.max(first, last - limit + 1) end
if limit >= 0 and not reverse then last = math.min(last, first + limit - 1) end
if last < first then return {1, at, {}} end
return {1, at, redis.call('ZRANGE', set, first, last, 'WITHSCORES')}
