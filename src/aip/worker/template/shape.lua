-- aip.shape: rows, columns and keys of tables. Written in Lua, because some functions change their argument.
local error, format, insert, ipairs, next, setmetatable, sort, type =
  error, string.format, table.insert, ipairs, next, setmetatable, table.sort, type
local add_module = ...
local null, integer_of = null, math.type

local function check(name, position, value, kind)
  if type(value) ~= kind then
    error(format("aip.shape.%s expects a %s as argument %d, got %s", name, kind, position, type(value)), 3)
  end
end

local function check_names(name, position, names)
  check(name, position, names, "table")
  for index, key in ipairs(names) do
    if type(key) ~= "string" then
      error(format("aip.shape.%s expects strings in argument %d, got %s at %d", name, position, type(key), index), 3)
    end
  end
end

local function length(list)
  local count = 0
  for key in next, list do
    if integer_of(key) == "integer" and key > count then count = key end
  end
  return count
end

local function to_record(names, values)
  local record = {}
  for index, key in ipairs(names) do record[key] = values[index] end
  return record
end

local function to_values(record, names)
  local values = {}
  for index, key in ipairs(names) do
    local value = record[key]
    if value == nil then value = null end
    values[index] = value
  end
  return values
end

local function take(record, keys, keep)
  local taken, count = {}, 0
  for _, key in ipairs(keys) do
    if record[key] ~= nil then
      taken[key] = record[key]
      count = count + 1
      if not keep then record[key] = nil end
    end
  end
  return taken, count
end

local shape = {}

function shape.to_record(names, values)
  check_names("to_record", 1, names)
  check("to_record", 2, values, "table")
  return to_record(names, values)
end

function shape.to_records(names, rows)
  check_names("to_records", 1, names)
  check("to_records", 2, rows, "table")
  local records = {}
  for _, row in ipairs(rows) do
    check("to_records", 2, row, "table")
    insert(records, to_record(names, row))
  end
  return records
end

function shape.record_to_values(record, names)
  check("record_to_values", 1, record, "table")
  if names == nil then
    names = {}
    for key in next, record do
      if type(key) == "string" then insert(names, key) end
    end
    sort(names)
  else
    check_names("record_to_values", 2, names)
  end
  return to_values(record, names)
end

function shape.records_to_value_lists(records, names)
  check("records_to_value_lists", 1, records, "table")
  check_names("records_to_value_lists", 2, names)
  local lists = {}
  for _, record in ipairs(records) do
    check("records_to_value_lists", 1, record, "table")
    insert(lists, to_values(record, names))
  end
  return lists
end

function shape.columnar_to_records(columns)
  check("columnar_to_records", 1, columns, "table")
  local rows
  for name, values in next, columns do
    if type(name) ~= "string" then
      error("aip.shape.columnar_to_records expects names of columns as keys, got " .. type(name), 2)
    end
    check("columnar_to_records", 1, values, "table")
    local count = length(values)
    if rows ~= nil and rows ~= count then
      error(format("aip.shape.columnar_to_records expects columns of one length, got %d and %d", rows, count), 2)
    end
    rows = count
  end
  local records = {}
  for index = 1, rows or 0 do
    local record = {}
    for name, values in next, columns do record[name] = values[index] end
    records[index] = record
  end
  return records
end

function shape.records_to_columnar(records)
  check("records_to_columnar", 1, records, "table")
  local columns = {}
  for key in next, records[1] or {} do
    if type(key) ~= "string" then
      error("aip.shape.records_to_columnar expects strings as keys, got " .. type(key), 2)
    end
    columns[key] = {}
  end
  for _, record in ipairs(records) do
    check("records_to_columnar", 1, record, "table")
    for key in next, columns do
      if record[key] == nil then columns[key] = nil end
    end
  end
  for index, record in ipairs(records) do
    for key, values in next, columns do values[index] = record[key] end
  end
  return columns
end

function shape.select_keys(record, keys)
  check("select_keys", 1, record, "table")
  check_names("select_keys", 2, keys)
  return (take(record, keys, true))
end

function shape.omit_keys(record, keys)
  check("omit_keys", 1, record, "table")
  check_names("omit_keys", 2, keys)
  local rest = {}
  for key, value in next, record do rest[key] = value end
  take(rest, keys, false)
  return rest
end

function shape.remove_keys(record, keys)
  check("remove_keys", 1, record, "table")
  check_names("remove_keys", 2, keys)
  local _, count = take(record, keys, false)
  return count
end

function shape.extract_keys(record, keys)
  check("extract_keys", 1, record, "table")
  check_names("extract_keys", 2, keys)
  return (take(record, keys, false))
end

add_module("shape", shape)
