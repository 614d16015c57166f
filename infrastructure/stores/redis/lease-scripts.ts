import { script } from "./script.ts"

/** Takes the lease: 0, or in how many milliseconds that of another holder is over. KEYS: lease. ARGV: holder, millis. */
export const acquireScript = script(`
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
-- Asked again after the answer was lost.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 0
end
return math.max(1, redis.call('PTTL', KEYS[1]))
`)

/** 1 when it is still the holder's, and so for another while; 0 when it is not. KEYS: lease. ARGV: holder, millis. */
export const renewScript = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`)

/** KEYS: lease. ARGV: holder. */
export const handBackScript = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`)
