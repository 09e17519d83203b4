-- leave_tombstone.lua: put into the scripts that end an owner: its tombstone, at the key `grave`, if it is to get one.
--
-- Expects: grave, tombstone
-- Sets: mark

-- rule tombstone
local mark = tombstone ~= '0' and redis.pcall('GET', grave)
if tombstone ~= '0' and type(mark) ~= 'table' then -- what is foreign refuses the owner as well
  redis.call('DEL', grave) -- a write that is allowed at maxmemory: it lets the next one pass
  redis.call('SET', grave, mark == 'A' and 'A' or '1', 'PX', tombstone) -- that it was adopted stays known
end
-- end
