/*
 * The scripts of the full-text index of tasks, made for millions of tasks and for searches from the newest one back:
 *
 * - Tasks are numbered as they arrive; a resubmitted task gets another number. `n…` hashes have the ids of 64 numbers each.
 * - Numbers are divided into blocks of 2,048. A block has 256 hashes, which Redis stores as one string each, with a field
 *   per term: the places of its tasks in the block, 2 bytes each. Fields that would take more than 60 bytes become a bitmap
 *   (`w…`) of at most 256 bytes, so that the hashes stay small and words that many tasks have cost no more than others.
 * - A task's terms and its number are part of its record, 3 bytes per term: so they are removed whatever its texts have
 *   become, and with the record.
 *
 * A search intersects the terms block by block, newest block first, and ends as soon as a page is full. All keys have the
 * hash tag of the account; scripts build the key names from the prefix they are given.
 */

const blockSize = 2_048;
const namesPerHash = 64;
/** Most bytes of a term's places in a hash. */
const mostInHash = 60;
/** Blocks searched by one call of the script: Redis does nothing else meanwhile. */
const blocksPerLook = 32;

const functions = `
local prefix = ARGV[1]
local function nameKey(number) return prefix .. 'n' .. math.floor(number / ${namesPerHash}) end
local function placeOf(block, term)
  local first, second, third = string.byte(term, 1, 3)
  return prefix .. 'p' .. block .. ':' .. first, string.sub(term, 2, 3),
    prefix .. 'w' .. block .. ':' .. (first * 65536 + second * 256 + third)
end
local function without(places, place)
  local left = {}
  for at = 1, #places, 2 do
    local one = string.sub(places, at, at + 1)
    if one ~= place then left[#left + 1] = one end
  end
  return table.concat(left)
end
local function add(number, term)
  local key, field, long = placeOf(math.floor(number / ${blockSize}), term)
  local at = number % ${blockSize}
  local known = redis.call('HGET', key, field)
  if known == '' then redis.call('SETBIT', long, at, 1) return end
  local after = (known or '') .. struct.pack('>I2', at)
  if #after <= ${mostInHash} then redis.call('HSET', key, field, after) return end
  for from = 1, #after, 2 do redis.call('SETBIT', long, struct.unpack('>I2', after, from), 1) end
  redis.call('HSET', key, field, '')
end
local function remove(number, term)
  local key, field, long = placeOf(math.floor(number / ${blockSize}), term)
  local at = number % ${blockSize}
  local known = redis.call('HGET', key, field)
  if not known then return end
  if known == '' then
    redis.call('SETBIT', long, at, 0)
    if redis.call('BITCOUNT', long) > 0 then return end
    redis.call('DEL', long)
    redis.call('HDEL', key, field)
    return
  end
  local left = without(known, struct.pack('>I2', at))
  if left == '' then redis.call('HDEL', key, field) else redis.call('HSET', key, field, left) end
end
local function ownOf(record)
  local own = redis.call('HGET', record, 'find')
  if not own then return end
  return struct.unpack('>I4', own), struct.unpack('>I2', own, 5), string.sub(own, 7)
end
local function leave(number, terms)
  for at = 1, #terms, 3 do remove(number, string.sub(terms, at, at + 2)) end
  redis.call('HDEL', nameKey(number), number % ${namesPerHash})
end`;

/**
 * Adds a task to its terms, if its record is still the one that was read. KEYS: record, how many numbers were given, tasks
 * to be indexed. ARGV: key prefix, id, version, round, terms. Returns 1, or 0 when the record has changed.
 */
export const putScript = `${functions}
local id = ARGV[2]
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[3] then return 0 end
local round, terms = tonumber(ARGV[4]), ARGV[5]
local number, before, old = ownOf(KEYS[1])
if number and before ~= round then
  leave(number, old)
  number = nil
end
if not number then
  number, old = redis.call('INCR', KEYS[2]) - 1, ''
  redis.call('HSET', nameKey(number), number % ${namesPerHash}, id)
end
local stays, known = {}, {}
for at = 1, #terms, 3 do stays[string.sub(terms, at, at + 2)] = true end
for at = 1, #old, 3 do
  local term = string.sub(old, at, at + 2)
  known[term] = true
  if not stays[term] then remove(number, term) end
end
for at = 1, #terms, 3 do
  local term = string.sub(terms, at, at + 2)
  if not known[term] then add(number, term) end
end
redis.call('HSET', KEYS[1], 'find', struct.pack('>I4', number) .. struct.pack('>I2', round) .. terms)
redis.call('ZREM', KEYS[3], id)
return 1`;

/** Removes a task from the index. KEYS: as above. ARGV: key prefix, id. */
export const forgetScript = `${functions}
redis.call('ZREM', KEYS[3], ARGV[2])
local number, _, terms = ownOf(KEYS[1])
if not number then return end
leave(number, terms)
redis.call('HDEL', KEYS[1], 'find')`;

/**
 * Searches for tasks that have all terms, newest first. KEYS: how many numbers were given. ARGV: key prefix, terms, the
 * number before which to search or '', how many to find. Returns ids and their numbers, and the number before which to
 * continue, or -1 when there is nothing more.
 */
export const lookScript = `${functions}
local terms, most = ARGV[2], tonumber(ARGV[4])
local before = tonumber(redis.call('GET', KEYS[1]) or '0')
if ARGV[3] ~= '' and tonumber(ARGV[3]) < before then before = tonumber(ARGV[3]) end
-- Returns the places that all of some terms have in a block, the highest first.
local function commonIn(block)
  local short, long = {}, {}
  for at = 1, #terms, 3 do
    local key, field, name = placeOf(block, string.sub(terms, at, at + 2))
    local places = redis.call('HGET', key, field)
    if not places then return {} end
    if places == '' then long[#long + 1] = redis.call('GET', name) or '' else short[#short + 1] = places end
  end
  local common = {}
  if #short == 0 then
    local least = #long[1]
    for _, bits in ipairs(long) do if #bits < least then least = #bits end end
    for byte = least, 1, -1 do
      local all = 255
      for _, bits in ipairs(long) do
        all = bit.band(all, string.byte(bits, byte))
        if all == 0 then break end
      end
      if all ~= 0 then
        for low = 7, 0, -1 do
          if bit.band(all, bit.rshift(128, low)) ~= 0 then common[#common + 1] = (byte - 1) * 8 + low end
        end
      end
    end
    return common
  end
  table.sort(short, function(one, other) return #one < #other end)
  local counts = {}
  for index, places in ipairs(short) do
    for at = 1, #places, 2 do
      local place = struct.unpack('>I2', places, at)
      if (counts[place] or 0) == index - 1 then counts[place] = index end
    end
  end
  for place, count in pairs(counts) do
    local isIn = count == #short
    for _, bits in ipairs(long) do
      local byte = string.byte(bits, math.floor(place / 8) + 1) or 0
      if bit.band(byte, bit.rshift(128, place % 8)) == 0 then isIn = false end
    end
    if isIn then common[#common + 1] = place end
  end
  table.sort(common, function(one, other) return one > other end)
  return common
end
local found = {}
local last = math.floor((before - 1) / ${blockSize})
for block = last, 0, -1 do
  if last - block >= ${blocksPerLook} then return {found, (block + 1) * ${blockSize}} end
  for _, place in ipairs(commonIn(block)) do
    local number = block * ${blockSize} + place
    local id = number < before and redis.call('HGET', nameKey(number), number % ${namesPerHash})
    if id then
      found[#found + 1] = id
      found[#found + 1] = number
      if #found >= 2 * most then return {found, number} end
    end
  end
end
return {found, -1}`;
