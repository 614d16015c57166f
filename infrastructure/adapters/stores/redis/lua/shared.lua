-- Prepended to every script.

-- The time of the server in milliseconds: all processes share this clock.
local function now_millis()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Positions are texts, `commit/prepare`. Both numbers go up to 2^63 and a Lua number holds 2^53, so they are compared as
-- texts: the longer text is larger; for equal lengths the first different digit decides. Lua's `<` is not used on texts,
-- because it compares by the locale of the server.
local function number_before(a, b)
  if #a ~= #b then return #a < #b end
  for i = 1, #a do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x < y end
  end
  return false
end
local function position_before(a, b)
  if a == b then return false end
  local a_commit, a_prepare = string.match(a, '^(%d+)/(%d+)$')
  local b_commit, b_prepare = string.match(b, '^(%d+)/(%d+)$')
  if a_commit ~= b_commit then return number_before(a_commit, b_commit) end
  return number_before(a_prepare, b_prepare)
end
