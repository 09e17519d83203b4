-- read_request.lua: put into the scripts that ask, with `lock` known: what is asked for, see their headers, and what is known of the owner.
--
-- Expects: lock
-- Sets: ending, life, limit, order, owner, priority, queues, read, share

local owner = ARGV[3]
local queues, limit, priority, order, share, life, ending =
  string.match(ARGV[7], '^(%d) (%d+) (-?%d+) (%a)(%S*) (%d+) (.*)$')

-- What is known of the owner, of the queue, of this client's part in it, and of what else is asked for; and how many wait there. Read again
-- after it may have changed.
local function read(...)
  return redis.call('HMGET', lock.details, owner, '@seq', '@n:' .. requester, '@a:' .. requester, ...), redis.call('ZCARD', lock.queue)
end
