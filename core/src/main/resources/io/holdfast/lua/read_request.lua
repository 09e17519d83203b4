-- read_request.lua: put into the scripts that ask, with `lock` known: what is asked for, see their headers, and what is known of the owner.
--
-- Expects: lock
-- Sets: ending, life, limit, order, owner, priority, queues, read, share

local owner = ARGV[3]
local queues, limit, priority, order, share, life, ending =
  string.match(ARGV[7], '^(%d) (%d+) (-?%d+) (%a)(%S*) (%d+) (.*)$')

-- What is known of the queue, of claims, and of this client's part in it; read again after it may have changed.
local function read()
  return redis.call('HMGET', lock.details, owner, lock.members and '@c' or '@claim', '@seq', '@n:' .. requester, '@a:' .. requester,
    '@pause'),
    redis.call('ZCARD', lock.queue)
end
