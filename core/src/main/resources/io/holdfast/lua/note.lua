-- note.lua: leaves a note of a holder, for those that look and for the holders after it, or tells which notes were left.
--
-- KEYS[1] hold   KEYS[2] note
-- ARGV[1] owner   ARGV[2] token of its lease   ARGV[3] its label, with the note; '' to be told   ARGV[4] for how long the note is kept
-- for others, ms; 0 to remove it
--
-- Replies, as words:
--   NOTED   the hold has this label from now on
--   GONE    the owner does not hold the lock; nothing was written
--   LEFT …  of the last note, and of the one that another lease left before it, if they are there: token of the lease, since in
--           microseconds, label
-- Effects: replaces the label of the hold, whose end stays. What follows is kept under the note's key, which has an expiry.
-- The hold of another owner is left alone.

-- include owner.lua
-- include foreign.lua

if ARGV[3] == '' then
  return 'LEFT ' .. (redis.call('GET', KEYS[2]) or '')
end
local head, kept = string.match(readHold(KEYS[1]) or '', '^(%S+ %d+ %d+ %d+ )%S*( ?[KR]?)$')
if not head or not isHoldOf(head, ARGV[1]) then
  return 'GONE'
end
local last = redis.call('GET', KEYS[2]) or ''
redis.call('DEL', KEYS[2]) -- a write that is allowed at maxmemory: it lets the others pass
redis.call('SET', KEYS[1], head .. ARGV[3] .. kept, 'XX', 'KEEPTTL')
if ARGV[4] ~= '0' then
  local before = string.match(last, '^%d+') == ARGV[2] and string.match(last, '^%S+ %S+ %S+ (.*)$')
    or string.match(last, '^%d+ %d+ %S+') or ''
  if string.match(before, '^%d+') == ARGV[2] then
    before = ''
  end
  local note = ARGV[2] .. ' ' .. nowText .. ' ' .. ARGV[3]
  redis.call('SET', KEYS[2], before == '' and note or note .. ' ' .. before, 'PX', ARGV[4])
end
return 'NOTED'
