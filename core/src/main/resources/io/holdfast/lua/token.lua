-- token.lua: how the last fencing token of a lock, or the last number of a line, is noted.

-- Notes the last token, a number. Its key expires at the token's own time plus its life, and not at now plus its life: after a
-- clock that was ahead came back, tokens would fall otherwise. Begins with the error of a key of another type.
local function writeToken(key, token, life)
  redis.call('SET', key, string.format('%.0f', token), 'PXAT', math.floor(token / 1000) + life, 'GET')
end
