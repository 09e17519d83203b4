-- expiry.lua: a key lasts for at least so many ms from now. An expiry moves to a later time, never to an earlier one; what
-- was deleted or has expired stays so. (Up to 7.0 PTTL reads the clock anew, so that "later" is exact up to the
-- script's own running time; drift allowances are wider than that.)
local function expireLater(key, ms)
  local left = redis.call('PTTL', key)
  if left == -1 or (left >= 0 and left < tonumber(ms)) then
    redis.call('PEXPIREAT', key, string.format('%.0f', math.floor(nowText / 1000) + ms))
  end
end
