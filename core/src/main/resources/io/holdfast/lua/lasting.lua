-- lasting.lua: the keys of a line's holds outlive the last of them, so that what is over is found by a script, with whoever had
-- been told of a grant, and not lost with the keys. Both are moved seldom. Where only one of them may be touched both are the same
-- key. Keys that are `new` have no expiry yet.
local function outlive(members, hold, ms, new)
  if new or redis.call('PTTL', members) < ms + 60000 then
    local at = string.format('%.0f', math.floor(nowText / 1000) + ms + 120000)
    redis.call('PEXPIREAT', members, at)
    if new or hold ~= members and type(redis.pcall('HLEN', hold)) == 'number' then -- not another program's
      redis.call('PEXPIREAT', hold, at)
    end
  end
end
