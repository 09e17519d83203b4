-- exclusive.lua: included after common.lua and held.lua by the scripts of exclusive locks: what such a lock admits, and how it is
-- told of.

-- Whether a request is granted beside what is held: the one place that decides it, for whoever asks and for whoever is next.
-- The lock is exclusive: any hold excludes any request.
local function admits(held)
  return not held
end

-- The part of a reply that tells of the hold and of a claim of the client that asks: the claim as words, its owner's public id,
-- its token, since when and its ms, or four empty ones; handed; more; and what tellHold tells.
local function describe(lock)
  return (lock.mine or '   ') .. ' ' .. lock.handed .. ' ' .. lock.more .. tellHold(lock.hold, lock)
end
