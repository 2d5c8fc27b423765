-- The environment of .aip scripts. Runs first in every Lua state, with the function that calls the host and
-- the names of the host's functions.
local host, setup = ...
local null = setup.null[1]
local debug, error, ipairs, load, next, pairs, pcall, setmetatable, tostring, type =
  debug, error, ipairs, load, next, pairs, pcall, setmetatable, tostring, type
local concat, insert, sort, floor, format = table.concat, table.insert, table.sort, math.floor, string.format
local native_date, native_time, difftime, randomseed = os.date, os.time, os.difftime, math.randomseed

local function finish(ok, ...)
  if ok then return ... end
  error((...), 2)
end

local function names_of(module)
  local names = {}
  for name in next, module do insert(names, name) end
  sort(names)
  return concat(names, ", ")
end

-- An unsupported function is nil, so that packs can test for it, but the error of a call lists the supported ones. Before
-- the first missing function, calls of nil have Lua's own message.
local supported = {}
local missing = {}
local latest
local function describe_missing(path, name)
  local has = names_of(supported[path])
  return format("%s.%s is not supported; %s has: %s", path, name, path, has == "" and "nothing" or has)
end
local function call_nil()
  local info = debug.getinfo(1, "nt")
  local name = info.name
  if name and missing[name] and (info.namewhat == "field" or info.namewhat == "method") then
    error(describe_missing(missing[name], name), 2)
  elseif name then
    error(format("attempt to call a nil value (%s '%s')", info.namewhat, name), 2)
  end
  -- In a tail call, Lua does not know the name of the function.
  error("attempt to call a nil value: " .. describe_missing(missing[latest], latest), 2)
end
local function name_missing(path)
  return {
    __index = function(_, key)
      if type(key) == "string" then
        if latest == nil then debug.setmetatable(nil, { __call = call_nil, __metatable = false }) end
        missing[key], latest = path, key
      end
      return nil
    end,
    __metatable = false,
  }
end

-- `aip.nothing.at_all()` indexes nil before the call: adds the supported modules to Lua's message.
local function explain(message)
  if type(message) ~= "string" then return message end
  local name = message:match("attempt to index a nil value %(field '([%w_]+)'%)$")
  if name == nil or missing[name] ~= "aip" then return message end
  return message .. ": " .. describe_missing("aip", name)
end
local function explain_failure(ok, ...)
  if ok then return ok, ... end
  return ok, explain((...))
end
function _G.pcall(...) return explain_failure(pcall(...)) end

debug.setmetatable(null, {
  __metatable = false,
  __name = "null",
  __tostring = function() return "null" end,
  __concat = function(left, right) return tostring(left) .. tostring(right) end,
})

-- aip
local function new_module(path, names)
  local module = {}
  for _, name in ipairs(names) do
    local full = path:sub(5) .. "." .. name
    module[name] = function(...) return finish(host(full, ...)) end
  end
  supported[path] = module
  return setmetatable(module, name_missing(path))
end

aip = {}
for name, functions in pairs(setup.modules) do aip[name] = new_module("aip." .. name, functions) end
for name, constants in pairs(setup.constants) do
  for key, value in pairs(constants) do aip[name][key] = value end
end
supported.aip = aip
setmetatable(aip, name_missing("aip"))

local function answer(kind)
  return function(data) return { _aipack_ = { kind = kind, data = data } } end
end
aip.flow = setmetatable({
  before_all_response = answer("BeforeAllResponse"),
  data_response = answer("DataResponse"),
  skip = function(reason) return { _aipack_ = { kind = "Skip", data = { reason = reason } } } end,
  redo_run = function() return { _aipack_ = { kind = "Redo" } } end,
}, name_missing("aip.flow"))
aip.flow.redo = aip.flow.redo_run
supported["aip.flow"] = aip.flow

-- aip.lua
local function dump(value, indent, open)
  local kind = type(value)
  if kind == "string" then return '"' .. value .. '"' end
  if value == null then return "null" end
  if kind == "function" or kind == "thread" or kind == "userdata" then return "<" .. kind .. ">" end
  if kind ~= "table" then return tostring(value) end
  if open[value] then return "<cycle>" end
  open[value] = true
  local keys = {}
  for key in next, value do insert(keys, key) end
  sort(keys, function(left, right)
    if type(left) == "number" and type(right) == "number" then return left < right end
    return tostring(left) < tostring(right)
  end)
  local lines = {}
  for _, key in ipairs(keys) do
    local name = type(key) == "string" and key or dump(key, "", open)
    insert(lines, indent .. "  " .. name .. " = " .. dump(value[key], indent .. "  ", open))
  end
  open[value] = nil
  return #lines == 0 and "{}" or "{\n" .. concat(lines, ",\n") .. "\n" .. indent .. "}"
end

local function merge_all(name, into, target, ...)
  if type(target) ~= "table" then
    error(format("aip.lua.%s expects a table as argument 1 (target), got %s", name, type(target)), 3)
  end
  for index = 1, select("#", ...) do
    local source = select(index, ...)
    if source ~= nil and source ~= null then
      if type(source) ~= "table" then
        error(format("aip.lua.%s expects a table as argument %d, got %s", name, index + 1, type(source)), 3)
      end
      into(target, source)
    end
  end
  return target
end

local function merge_into(target, source)
  for key, value in next, source do target[key] = value end
end

local function merge_deep_into(target, source)
  for key, value in next, source do
    if type(value) == "table" and type(target[key]) == "table" then
      merge_deep_into(target[key], value)
    else
      target[key] = value
    end
  end
end

aip.lua = setmetatable({
  dump = function(value) return dump(value, "", {}) end,
  merge = function(...) return (merge_all("merge", merge_into, ...)) end,
  merge_deep = function(...) return (merge_all("merge_deep", merge_deep_into, ...)) end,
}, name_missing("aip.lua"))
supported["aip.lua"] = aip.lua

-- Names in older versions.
utils = aip
aipack = aip.flow

-- null
_G.null, _G.Null, _G.NULL = null, null, null
function is_null(value) return value == nil or value == null end
function nil_if_null(value)
  if value == null then return nil end
  return value
end
function is_not_null(value) return not is_null(value) end
function value_or(...)
  for index = 1, select("#", ...) do
    local value = select(index, ...)
    if not is_null(value) then return value end
  end
  return (select(-1, ...))
end
function is_table(value) return type(value) == "table" end
function is_list(value) return type(value) == "table" and rawget(value, 1) ~= nil end
function is_object(value) return type(value) == "table" and rawget(value, 1) == nil end

-- Modules of the pack.
local loaded = {}
local loading = {}
function require(name)
  if type(name) ~= "string" then error("require expects the name of a module, got " .. type(name), 2) end
  if loaded[name] ~= nil then return loaded[name] end
  if loading[name] then error(format("the module '%s' requires itself", name), 2) end
  local ok, file = host("require", name)
  if not ok then error(file, 2) end
  local chunk, message = load(file.code, "=" .. file.name, "t")
  if not chunk then error(message, 0) end
  loading[name] = true
  local value = chunk(name)
  loading[name] = nil
  if value == nil then value = true end
  loaded[name] = value
  return value
end

-- The standard library, without functions that reach outside or differ between executions.
function print(...)
  local parts = {}
  for index = 1, select("#", ...) do
    local value = select(index, ...)
    parts[index] = type(value) == "table" and dump(value, "", {}) or tostring(value)
  end
  finish(host("print", concat(parts, "\t")))
end

local function now() return finish(host("time.now")) end
os = setmetatable({
  clock = function() return now() / 1000 end,
  date = function(shape, time) return native_date(shape or "%c", time or floor(now() / 1000)) end,
  difftime = difftime,
  getenv = function() return nil end,
  time = function(date) return date and native_time(date) or floor(now() / 1000) end,
}, name_missing("os"))
supported.os = os
_G.package = { loaded = loaded, path = "", preload = {} }
string.dump = nil
function collectgarbage() return 0 end
io, _G.debug, _G.load, loadstring, loadfile, dofile, warn = nil, nil, nil, nil, nil, nil, nil

-- Returns three functions: one explains errors, one prepares a script, one adds a module written in Lua.
return explain, function(script)
  randomseed(script.seed[1], script.seed[2])
end, function(name, module)
  aip[name] = setmetatable(module, name_missing("aip." .. name))
  supported["aip." .. name] = module
end
