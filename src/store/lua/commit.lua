-- Writes a record and everything that its change touches in one step, or nothing.
-- KEYS: record, then the keys of the operations.
-- ARGV: version as read, next version, value, revision, the set whose size must be below a limit (number of its key, or 0),
-- the limit, the operations as JSON: command, number of its key, number of another key or 0, arguments.
-- Returns 1, 0 when somebody else wrote the record since it was read, or 2 when the set is full.
if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[1] then return 0 end
if ARGV[5] ~= '0' and redis.call('SCARD', KEYS[tonumber(ARGV[5])]) >= tonumber(ARGV[6]) then return 2 end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'value', ARGV[3], 'revision', ARGV[4])

local run = {}

-- Adds to a sorted set as its last member.
run['add last'] = function(key, counter, member)
  redis.call('ZADD', key, redis.call('INCR', counter), member)
end

-- Removes a member that stands for another key, once that key is gone.
run['remove if gone'] = function(key, other, member)
  if redis.call('EXISTS', other) == 0 then redis.call('SREM', key, member) end
end

-- Frees a task's place in a window, unless somebody looks at the task.
run['leave window'] = function(key, leases, task)
  if redis.call('HEXISTS', leases, task) == 0 then redis.call('SREM', key, task) end
end

-- Counts an amount towards a member's day: confirms its reservation, or counts it again if that has expired meanwhile.
run['spend'] = function(key, reservations, member, id, amount, most, seconds)
  redis.call('ZREM', reservations, member .. '\n' .. id)
  if redis.call('HEXISTS', key, id) == 1 then return end
  local spent = tonumber(redis.call('HGET', key, member) or '0')
  local counted = string.format('%.0f', math.min(tonumber(amount), tonumber(most) - spent))
  redis.call('HINCRBY', key, member, counted)
  redis.call('HSET', key, id, counted)
  redis.call('EXPIRE', key, seconds)
end

-- Gives an amount back to a member's day. It can be counted again.
run['give back'] = function(key, reservations, member, id)
  redis.call('ZREM', reservations, member .. '\n' .. id)
  local counted = redis.call('HGET', key, id)
  if counted and counted ~= '0' then
    redis.call('HINCRBY', key, member, '-' .. counted)
    redis.call('HSET', key, id .. ' given back', counted)
  end
  redis.call('HDEL', key, id)
end

-- Counts an amount that was given back again; one that was never counted, because a manager had approved it, is not.
run['spend again'] = function(key, _, member, id)
  local given = redis.call('HGET', key, id .. ' given back')
  if not given then return end
  redis.call('HINCRBY', key, member, given)
  redis.call('HSET', key, id, given)
  redis.call('HDEL', key, id .. ' given back')
end

for _, op in ipairs(cjson.decode(ARGV[7])) do
  local command, key, other = op[1], KEYS[op[2]], KEYS[op[3]]
  if run[command] then run[command](key, other, unpack(op, 4)) else redis.call(command, key, unpack(op, 4)) end
end
return 1
