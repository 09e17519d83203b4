-- order.lua: where a waiter enters the queue, given the next number of @seq. Orders are integers of less than 50 bits, which a
-- double keeps exactly. Each priority has a band, the higher ones before the lower; in a band stand first those of
-- queue order 'S', by the shares of their groups (share.lua; here, behind all of them), then 'N' (newest first), then 'F' (oldest first),
-- then 'R', in an order that is drawn here: the server's own generator begins anew in every script.
local function orderOf(order, priority, queueOrder, owner)
  if queueOrder == 'N' then
    order = -order
  elseif queueOrder == 'S' then
    order = -1099511627777 -- before -2^40
  elseif queueOrder == 'R' then
    order = 1099511627776 + tonumber(string.sub(redis.sha1hex(owner .. nowText), 1, 10), 16) -- from 2^40 on
  end
  return order - priority * 4398046511104 -- bands of 2^42
end
