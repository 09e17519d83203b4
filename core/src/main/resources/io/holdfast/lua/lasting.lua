-- lasting.lua: the keys of a line's holds outlive the last of them, so that what is over is found by a script, with whoever had
-- been told of a grant, and not lost with the keys. Both are moved seldom. Where only one of them may be touched both are the same
-- key. Keys that are `new` have no expiry yet.

local function outlive(members, hold, ms, new)
  if new or redis.call('PTTL', members) < ms + 60000 then
    local at = string.format('%.0f', math.floor(nowText / 1000) + ms + 120000)
    local both = new
    if not both and hold ~= members then -- asked before anything is written
      -- Only its type says that the key is another program's: an error of any other kind, as of a permission that is missing, would
      -- otherwise leave the key to expire before the holds do.
      local count = redis.pcall('HLEN', hold)
      both = type(count) == 'number'
      if not both and not string.find(count.err, 'WRONGTYPE', 1, true) then
        redis.call('HLEN', hold) -- it comes again
      end
    end
    redis.call('PEXPIREAT', members, at)
    if both then
      redis.call('PEXPIREAT', hold, at)
    end
  end
end
