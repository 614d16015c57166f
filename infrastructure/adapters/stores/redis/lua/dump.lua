-- Dumps a model. A hold blocks writers. It expires when the process that dumps has died.
local HOLD_MILLIS = 5000

-- script: hold
-- Holds a model: returns {1, checkpoint}, or {0} while another process holds the model.
--
-- KEYS: meta. ARGV: name of the holder.
local meta = redis.call('HMGET', KEYS[1], 'at', 'hold')
local now = now_millis()
if meta[2] and now < tonumber(meta[2]) then return {0} end
redis.call('HSET', KEYS[1], 'hold', now + HOLD_MILLIS, 'holder', ARGV[1])
return {1, meta[1] or '0/0'}

-- script: read
-- Reads parts of a held model and renews the hold. Returns 1, then for each part the next cursor (`0` at its end) and its
-- content; {0} when the hold is lost, because the model may have changed.
--
-- KEYS: meta. ARGV: prefix of the keys, holder, then name and cursor of each part; the part `names` lists all others.
local meta = redis.call('HMGET', KEYS[1], 'gen', 'holder')
if meta[2] ~= ARGV[2] then return {0} end
redis.call('HSET', KEYS[1], 'hold', now_millis() + HOLD_MILLIS)
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

-- script: release
-- KEYS: meta. ARGV: holder.
if redis.call('HGET', KEYS[1], 'holder') == ARGV[1] then redis.call('HDEL', KEYS[1], 'hold', 'holder') end
return 1
