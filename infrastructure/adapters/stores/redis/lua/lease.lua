-- Leases and claims: a key that holds the name of the holder, and expires. KEYS: the lease. ARGV: holder.

-- script: acquire
-- Returns 0 when the holder has the lease, otherwise the milliseconds until the lease expires.
--
-- ARGV: holder, milliseconds; for a process with an identity also how the names of its holders begin, those of earlier
-- processes included, and how only those of this process begin.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
local holder, owner, own = redis.call('GET', KEYS[1]), ARGV[3] or '', ARGV[4] or ''
local function begins(prefix) return string.sub(holder, 1, #prefix) == prefix end
local is_gone = owner ~= '' and begins(owner) and not begins(own)
-- The holder already has the lease when an answer was lost and the request was repeated.
if holder == ARGV[1] or is_gone then
  if is_gone then redis.call('SET', KEYS[1], ARGV[1]) end
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 0
end
return math.max(1, redis.call('PTTL', KEYS[1]))

-- script: renew
-- Extends the lease and returns 1, unless another holder has it: then returns 0. A server that lost the lease gets it
-- again, so that the loss does not stop the work. ARGV: holder, milliseconds.
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1

-- script: release
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
