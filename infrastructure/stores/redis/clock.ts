/** Lua: `now_millis()` is the time of the server, the one clock that all processes share. */
export const clockLua = `
local function now_millis()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`
