-- Reserves an amount of a member's day, unless it would exceed the day's limit; without an id, only says what was spent.
-- Expires reservations that were not confirmed in time.
-- KEYS: the day's hash, reservations by expiry time.
-- ARGV: now (ms), the member's field, then to reserve: the reservation's field, amount, limit ('' for none), time to live (s),
-- largest amount, when it expires (ms).
-- Returns whether it fits, and what is spent so far; an existing reservation fits again.
local member, id = ARGV[2], ARGV[3]
for _, fields in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[1])) do
  local by, reserved = string.match(fields, '^([^\n]*)\n(.*)$')
  local counted = redis.call('HGET', KEYS[1], reserved)
  if counted and counted ~= '0' then redis.call('HINCRBY', KEYS[1], by, '-' .. counted) end
  redis.call('HDEL', KEYS[1], reserved)
  redis.call('ZREM', KEYS[2], fields)
end
local spent = tonumber(redis.call('HGET', KEYS[1], member) or '0')
local function answer(fits, so_far) return { fits, string.format('%.0f', so_far) } end
if not id then return answer(0, spent) end
if redis.call('HEXISTS', KEYS[1], id) == 1 then return answer(1, spent) end
local amount = tonumber(ARGV[4])
if ARGV[5] ~= '' and spent + amount > tonumber(ARGV[5]) then return answer(0, spent) end
local counted = string.format('%.0f', math.min(amount, ARGV[7] - spent))
redis.call('HINCRBY', KEYS[1], member, counted)
redis.call('HSET', KEYS[1], id, counted)
redis.call('ZADD', KEYS[2], ARGV[8], member .. '\n' .. id)
redis.call('EXPIRE', KEYS[1], ARGV[6])
redis.call('EXPIRE', KEYS[2], ARGV[6])
return answer(1, spent)
