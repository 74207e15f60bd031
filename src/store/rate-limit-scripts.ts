/** Prelude of every script, whose last argument is the bot's time (ms). */
const clock = `
local now = tonumber(ARGV[#ARGV])
local function at(key) return tonumber(redis.call('GET', key) or '0') end
local function store(key, value, untilMs)
  redis.call('SET', key, string.format('%.0f', value), 'PX', string.format('%.0f', math.max(1, untilMs - now)))
end`;

/**
 * Reserves the next free slot. Unused earlier time counts, up to a limit. KEYS: when the next slot is free (ms). ARGV:
 * length of a slot, limit of unused time (ms). Returns the wait (ms).
 */
export const reserveCsvScript = `${clock}
local unused = tonumber(ARGV[2])
local slot = math.max(now - unused, at(KEYS[1]))
local free = slot + tonumber(ARGV[1])
store(KEYS[1], free, free + unused + 1000)
return math.max(0, slot - now)`;

/**
 * Reserves the next slot for a post: the first one at which the channel is free and no other post of the workspace is near.
 * Earlier slots stay free for other channels. A slot reserved before stays valid unless it is too long past, further ahead
 * than any known slot, or the channel has been blocked since. Late posts do not all go out at once: Slack counts posts when
 * they are made, so at most two follow each other directly.
 * KEYS: until when posts to the channel are blocked, when the channel is free, the workspace's reserved slots, until when
 * posts already made occupy the channel. ARGV: slot reserved before or 0, how long it is valid (ms), how long a post
 * occupies the channel and the workspace (ms), 1 if the post is made unless it has to wait.
 * Returns the wait (ms) and the slot (ms).
 */
export const reservePostScript = `${clock}
local blocked = at(KEYS[1])
local reserved = tonumber(ARGV[1])
local function answer(slot)
  local occupied = at(KEYS[4])
  local wait = math.max(0, math.max(slot, occupied - tonumber(ARGV[3])) - now)
  if wait == 0 and ARGV[5] == '1' then
    local free = math.max(occupied, now) + tonumber(ARGV[3])
    store(KEYS[4], free, free + 1000)
  end
  return { wait, slot }
end
if reserved >= blocked and reserved >= now - tonumber(ARGV[2]) and reserved <= math.max(now, at(KEYS[2])) then
  return answer(reserved)
end
local apart = tonumber(ARGV[4])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', string.format('%.0f', now - apart))
local slot = math.max(now, blocked, at(KEYS[2]))
for _, taken in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], string.format('(%.0f', slot - apart), '+inf')) do
  if tonumber(taken) >= slot + apart then break end
  slot = tonumber(taken) + apart
end
local free = slot + tonumber(ARGV[3])
store(KEYS[2], free, free + 1000)
local name = string.format('%.0f', slot)
redis.call('ZADD', KEYS[3], name, name)
local last = redis.call('ZREVRANGE', KEYS[3], 0, 0)[1]
redis.call('PEXPIRE', KEYS[3], string.format('%.0f', tonumber(last) + apart + 1000 - now))
return answer(slot)`;

/**
 * Reserves when a blocked call may be retried: waiting callers get consecutive slots. KEYS: until when the call is blocked,
 * when the next slot is free. ARGV: distance between slots (ms). Returns the wait and the remaining time of the block (ms),
 * 0 and 0 when the call is not blocked.
 */
export const reserveCallScript = `${clock}
local blocked = at(KEYS[1])
if blocked <= now then return { 0, 0 } end
local slot = math.max(blocked, at(KEYS[2]))
local free = slot + tonumber(ARGV[1])
store(KEYS[2], free, free)
return { slot - now, blocked - now }`;

/**
 * Reserves when a background call may be made: after the calls that wait already, while any do or the call is blocked. KEYS:
 * until when the call is blocked in its channel, when the workspace's next slot is free. ARGV: slot reserved before or 0,
 * distance between slots (ms). Returns the wait and the slot (ms), 0 and 0 when the call may be made.
 */
export const reserveBackgroundScript = `${clock}
local blocked, free = at(KEYS[1]), at(KEYS[2])
local reserved = tonumber(ARGV[1])
local isDue = free <= now or (reserved > 0 and reserved <= now)
if blocked <= now and isDue then return { 0, 0 } end
local slot = math.max(blocked, free)
local after = slot + tonumber(ARGV[2])
store(KEYS[2], after, after)
return { slot - now, slot }`;

/** Blocks a call. KEYS: until when it is blocked. ARGV: for how long (ms), and how much longer that is stored (ms). */
export const blockScript = `${clock}
local blocked = math.max(at(KEYS[1]), now + tonumber(ARGV[1]))
store(KEYS[1], blocked, blocked + tonumber(ARGV[2]))`;
