-- The token bucket of ports/token-bucket.ts (`takeTokens`), for all processes.

-- script: take
-- Returns whether there were enough tokens, and the remaining thousandths of a token. The bucket is a text: the remainder
-- and the time. It expires when it would be full. KEYS: bucket. ARGV: tokens per second, burst, tokens to take, tokens
-- that the bucket must have.
local rate, most, now = tonumber(ARGV[1]), tonumber(ARGV[2]) * 1000, now_millis()
local left, at = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%S+)$')
left = left and math.min(most, left + math.max(0, now - at) * rate) or most
local admitted = left >= tonumber(ARGV[4]) * 1000
if admitted then left = left - tonumber(ARGV[3]) * 1000 end
local text = string.format('%.17g', left)
local until_full = math.max(1, math.ceil((most - left) / rate))
redis.call('SET', KEYS[1], text .. ' ' .. string.format('%.0f', now), 'PX', string.format('%.0f', until_full))
return {admitted and '1' or '0', text}
