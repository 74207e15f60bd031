-- Leases tasks to an owner: those it keeps, then the first of its queue that nobody else has. Removes expired leases.
-- KEYS: lease ends, lease owners, tasks to be decided, the queue.
-- ARGV: owner, now, lease duration (ms), how many tasks to hold, queue time to live (ms), how many tasks to release, those,
-- then those to keep.
-- Returns how many tasks are left in the queue, then the tasks that the owner holds: the kept ones that are still to be
-- decided and not leased by another owner, then those from the queue.
local owner, count, releases = ARGV[1], tonumber(ARGV[4]), tonumber(ARGV[6])
local latest = string.format('%.0f', ARGV[2] + ARGV[3])
local held = {}

local function free(task)
  redis.call('ZREM', KEYS[1], task)
  redis.call('HDEL', KEYS[2], task)
end

local function drop(task)
  if redis.call('HGET', KEYS[2], task) == owner then free(task) end
end

-- Returns whether it could be leased.
local function hold(task)
  local other = redis.call('HGET', KEYS[2], task)
  if other and other ~= owner then return false end
  redis.call('ZADD', KEYS[1], latest, task)
  redis.call('HSET', KEYS[2], task, owner)
  redis.call('ZREM', KEYS[4], task)
  held[#held + 1] = task
  return true
end

for _, task in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])) do free(task) end
redis.call('ZINTERSTORE', KEYS[4], 2, KEYS[4], KEYS[3], 'WEIGHTS', 1, 0)
for i = 7, 6 + releases do drop(ARGV[i]) end
for i = 7 + releases, #ARGV do
  if redis.call('ZSCORE', KEYS[3], ARGV[i]) then hold(ARGV[i]) else drop(ARGV[i]) end
end
local position = 0
while #held < count do
  local task = redis.call('ZRANGE', KEYS[4], position, position)[1]
  if not task then break end
  if not hold(task) then position = position + 1 end
end
redis.call('PEXPIRE', KEYS[4], ARGV[5])
return { redis.call('ZCARD', KEYS[4]), unpack(held) }
