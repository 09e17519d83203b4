-- foreign.lua: values that other programs have put in the place of ours.

-- Whether an error says that it is one of a type of its own.
local function isForeign(problem)
  return string.find(type(problem) == 'table' and problem.err or tostring(problem), 'WRONGTYPE', 1, true) ~= nil
end

-- Does something that such a value must not stop: it then answers nil, and what is foreign is left alone. What is done has
-- to be written so that it may end at any foreign key.
local function unlessForeign(act, ...)
  local done, answer = pcall(act, ...)
  if done then
    return answer
  elseif not isForeign(answer) then
    return act(...) -- any other error comes again, as the server says it
  end
  return nil
end

-- The hold as it is written; a foreign one as a text that is none.
local function readHold(key)
  local text = redis.pcall('GET', key)
  if text and text.err then
    text = isForeign(text) and '?' or redis.call('GET', key) -- any other error comes again
  end
  return text
end
