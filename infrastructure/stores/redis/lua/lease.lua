-- Leases and claims: a key that holds the name of the holder, and expires. KEYS: the lease. ARGV: holder.

-- script: acquire
-- 0 when the holder has the lease, otherwise the milliseconds until it expires. ARGV: holder, milliseconds.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
-- The holder has it already when an answer was lost and the request repeated.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 0
end
return math.max(1, redis.call('PTTL', KEYS[1]))

-- script: renew
-- 1 when the holder still has the lease and keeps it; 0 when not. ARGV: holder, milliseconds.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])

-- script: release
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
