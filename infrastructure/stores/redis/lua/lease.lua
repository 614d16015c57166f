-- Leases and claims: a key that holds the name of the holder, and expires. KEYS: the lease. ARGV: holder.

-- script: acquire
-- Returns 0 when the holder has the lease, otherwise the milliseconds until the lease expires. ARGV: holder, milliseconds.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
-- The holder already has the lease when an answer was lost and the request was repeated.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 0
end
return math.max(1, redis.call('PTTL', KEYS[1]))

-- script: renew
-- Extends the lease and returns 1 when the holder still has it; otherwise returns 0. ARGV: holder, milliseconds.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])

-- script: release
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
