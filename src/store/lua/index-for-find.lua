-- Adds a task to the terms by which it is found, if its record is still the one that was read; or removes it from all.
-- KEYS: record, how many numbers were given, tasks to be indexed.
-- ARGV: prefix of the index's keys, id, numbers in a block, names in a hash, most bytes of a term's places in a hash; then to
-- add it: the record's version, its round, its terms.
-- Returns 1, or 0 when the record has changed.
local prefix, id, blockSize, namesPerHash, mostInHash = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local round, terms = tonumber(ARGV[7]), ARGV[8] or ''
if round and redis.call('HGET', KEYS[1], 'version') ~= ARGV[6] then return 0 end

-- Returns where a number's places for a term are: the hash and its field, the bitmap, and the place.
local function placeOf(number, term)
  local block = math.floor(number / blockSize)
  local first, second, third = string.byte(term, 1, 3)
  return prefix .. 'p' .. block .. ':' .. first, string.sub(term, 2, 3),
    prefix .. 'w' .. block .. ':' .. (first * 65536 + second * 256 + third), number % blockSize
end

local function add(number, term)
  local key, field, long, at = placeOf(number, term)
  local known = redis.call('HGET', key, field)
  if known == '' then return redis.call('SETBIT', long, at, 1) end
  local after = (known or '') .. struct.pack('>I2', at)
  if #after <= mostInHash then return redis.call('HSET', key, field, after) end
  for from = 1, #after, 2 do redis.call('SETBIT', long, struct.unpack('>I2', after, from), 1) end
  redis.call('HSET', key, field, '')
end

local function remove(number, term)
  local key, field, long, at = placeOf(number, term)
  local known = redis.call('HGET', key, field)
  if not known then return end
  local left = {}
  if known == '' then
    redis.call('SETBIT', long, at, 0)
    if redis.call('BITCOUNT', long) > 0 then return end
    redis.call('DEL', long)
  end
  for from = 1, #known, 2 do
    if struct.unpack('>I2', known, from) ~= at then left[#left + 1] = string.sub(known, from, from + 1) end
  end
  if #left == 0 then redis.call('HDEL', key, field) else redis.call('HSET', key, field, table.concat(left)) end
end

local function nameOf(number) return prefix .. 'n' .. math.floor(number / namesPerHash), number % namesPerHash end
local function setOf(packed)
  local set = {}
  for at = 1, #packed, 3 do set[string.sub(packed, at, at + 2)] = true end
  return set
end

redis.call('ZREM', KEYS[3], id)
local own = redis.call('HGET', KEYS[1], 'find')
local number, before = nil, {}
if own then
  number, before = struct.unpack('>I4', own), setOf(string.sub(own, 7))
  -- A resubmitted task gets another number.
  if struct.unpack('>I2', own, 5) ~= round then
    for term in pairs(before) do remove(number, term) end
    redis.call('HDEL', nameOf(number))
    redis.call('HDEL', KEYS[1], 'find')
    number, before = nil, {}
  end
end
if not round then return 1 end
if not number then
  number = redis.call('INCR', KEYS[2]) - 1
  local names, field = nameOf(number)
  redis.call('HSET', names, field, id)
end
local after = setOf(terms)
for term in pairs(before) do if not after[term] then remove(number, term) end end
for term in pairs(after) do if not before[term] then add(number, term) end end
redis.call('HSET', KEYS[1], 'find', struct.pack('>I4', number) .. struct.pack('>I2', round) .. terms)
return 1
