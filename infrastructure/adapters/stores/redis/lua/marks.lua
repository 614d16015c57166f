-- Marks of streams (`StreamMarks`).

-- script: mark
-- For each stream 1 when it had no mark, otherwise 0. KEYS: any key of the marks. ARGV: prefix of the keys, milliseconds that
-- a mark lasts, the streams.
local marked = {}
for i = 3, #ARGV do
  marked[#marked + 1] = redis.call('SET', ARGV[1] .. ':' .. ARGV[i], 1, 'NX', 'PX', ARGV[2]) and 1 or 0
end
return marked
