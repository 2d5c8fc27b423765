import type { JsonValue } from "../../source/json.ts";
import type { LuaVm } from "./lua-vm.ts";

/** A value that crosses between Lua and the host; `undefined` is nil, `null` Lua's `null`. */
export type LuaValue = JsonValue | undefined;

/** The limits of values. Larger values are mistakes, and would fill memory elsewhere. */
const limits = { depth: 100, tables: 500_000, bytes: 64 * 1024 * 1024 } as const;

const types = { nil: 0, boolean: 1, pointer: 2, number: 3, string: 4, table: 5 } as const;
const typeNames = [
  "nil",
  "a boolean",
  "userdata",
  "a number",
  "a string",
  "a table",
  "a function",
  "userdata",
  "a thread",
];

interface Reading {
  vm: LuaVm;
  state: number;
  /** The enclosing tables, by address. */
  open: Set<number>;
  tables: number;
  bytes: number;
}

/**
 * The metatable of tables that came from an empty object. Lua has only one empty table, and an empty object must not come back as
 * a list. Messages of Lua show a value with this metatable by its name.
 */
const objectMark = "table";

/**
 * Reads the value at `index` (positive). A table with the keys 1 to n is a list, and so is an empty one, unless it came from an
 * empty object; any other is an object with string keys, as in AIPack. Only the own entries of a table with a metatable count; no
 * function of the metatable is called.
 *
 * @param path the name of the value in messages.
 *
 * @throws Error that names the place inside the value: for functions, userdata, cycles, NaN, infinities, integers beyond 2^53,
 * text that is not UTF-8, and values over the limits.
 */
export function readValue(vm: LuaVm, state: number, index: number, path: string): LuaValue {
  return read({ vm, state, open: new Set(), tables: 0, bytes: 0 }, index, path);
}

function read(reading: Reading, index: number, path: string): LuaValue {
  const { vm, state } = reading;
  const { lua } = vm;
  const type = lua.lua_type(state, index) as number;
  if (type === types.nil) return undefined;
  if (type === types.boolean) return lua.lua_toboolean(state, index) !== 0;
  if (type === types.number) return readNumber(reading, index, path);
  if (type === types.string) return readText(reading, index, path);
  if (type === types.table) return readTable(reading, index, path);
  if (type === types.pointer && lua.lua_touserdata(state, index) === 0) return null;
  throw new Error(
    `${path} is ${typeNames[type] ?? "of an unknown type"}; only nil, null, booleans, numbers, strings and tables of them can leave Lua`,
  );
}

function readNumber({ vm, state }: Reading, index: number, path: string): number {
  const value = vm.lua.lua_tonumberx(state, index, null);
  if (!Number.isFinite(value))
    throw new Error(`${path} is ${nameNumber(value)}, which JSON cannot represent`);
  if (vm.lua.lua_isinteger(state, index) !== 0 && !Number.isSafeInteger(value))
    throw new Error(
      `${path} is an integer beyond 2^53, which JSON cannot represent exactly; use a string`,
    );
  return value;
}

function nameNumber(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "infinity" : "minus infinity";
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function readText(reading: Reading, index: number, path: string): string {
  const { vm, state } = reading;
  const { module } = vm;
  const size = Number(module._lua_rawlen(state, index));
  reading.bytes += size;
  if (reading.bytes > limits.bytes)
    throw new Error(`${path}: at most ${limits.bytes} bytes can leave Lua at once`);
  const start = module._lua_tolstring(state, index, 0);
  try {
    return decoder.decode(module.HEAPU8.subarray(start, start + size));
  } catch {
    throw new Error(`${path} is a string that is not UTF-8`);
  }
}

function readTable(reading: Reading, index: number, path: string): JsonValue {
  const { vm, state, open } = reading;
  const { lua } = vm;
  const address = lua.lua_topointer(state, index);
  if (open.has(address)) throw new Error(`${path} contains itself; a cycle cannot leave Lua`);
  if (open.size >= limits.depth)
    throw new Error(`${path} is nested deeper than ${limits.depth} tables`);
  reading.tables += 1;
  if (reading.tables > limits.tables)
    throw new Error(`${path}: at most ${limits.tables} tables can leave Lua at once`);
  if (lua.lua_checkstack(state, 6) === 0) throw new Error(`${path} is nested too deeply`);
  open.add(address);
  const entries = readEntries(reading, index, path);
  open.delete(address);
  if (entries.size === 0 && isMarkedObject(reading, index)) return {};
  return toJson(entries);
}

function isMarkedObject({ vm: { lua }, state }: Reading, index: number): boolean {
  const top = lua.lua_gettop(state);
  if (lua.lua_getmetatable(state, index) === 0) return false;
  lua.luaL_newmetatable(state, objectMark);
  const isMarked = lua.lua_rawequal(state, -1, -2) !== 0;
  lua.lua_settop(state, top);
  return isMarked;
}

function readEntries(
  reading: Reading,
  index: number,
  path: string,
): Map<string | number, JsonValue> {
  const { lua } = reading.vm;
  const { state } = reading;
  const entries = new Map<string | number, JsonValue>();
  lua.lua_pushnil(state);
  while (lua.lua_next(state, index) !== 0) {
    const top = lua.lua_gettop(state);
    const key = readKey(reading, top - 1, path);
    const inner = typeof key === "number" ? `${path}[${key}]` : `${path}.${key}`;
    const value = read(reading, top, inner);
    if (value !== undefined) entries.set(key, value);
    lua.lua_settop(state, top - 1);
  }
  return entries;
}

function readKey(reading: Reading, index: number, path: string): string | number {
  const { vm, state } = reading;
  const type = vm.lua.lua_type(state, index) as number;
  if (type === types.string) return readText(reading, index, `a key of ${path}`);
  if (type === types.number) return readNumber(reading, index, `a key of ${path}`);
  if (type === types.boolean) return String(vm.lua.lua_toboolean(state, index) !== 0);
  throw new Error(
    `${path} has ${typeNames[type] ?? "something"} as a key; keys are strings and numbers`,
  );
}

function toJson(entries: Map<string | number, JsonValue>): JsonValue {
  const list: JsonValue[] = [];
  for (let at = 1; at <= entries.size; at += 1) {
    const value = entries.get(at);
    if (value === undefined) {
      return Object.fromEntries([...entries].map(([key, entry]) => [String(key), entry]));
    }
    list.push(value);
  }
  return list;
}

/** Pushes a value: `undefined` and `null` as nil, but a `null` inside lists and objects as Lua's `null`. */
export function pushValue(vm: LuaVm, state: number, value: LuaValue): void {
  if (value === undefined || value === null) vm.lua.lua_pushnil(state);
  else push(vm, state, value);
}

function push(vm: LuaVm, state: number, value: JsonValue): void {
  const { lua } = vm;
  if (value === null) lua.lua_pushlightuserdata(state, 0);
  else if (typeof value === "boolean") lua.lua_pushboolean(state, value ? 1 : 0);
  else if (typeof value === "number") pushNumber(vm, state, value);
  else if (typeof value === "string") pushText(vm, state, value);
  else pushTable(vm, state, value);
}

function pushNumber({ lua }: LuaVm, state: number, value: number): void {
  if (Number.isSafeInteger(value) && !Object.is(value, -0))
    lua.lua_pushinteger(state, BigInt(value));
  else lua.lua_pushnumber(state, value);
}

function pushText(vm: LuaVm, state: number, value: string): void {
  const bytes = Buffer.from(value);
  const pointer = vm.module._malloc(bytes.length + 1);
  if (pointer === 0) throw new Error("not enough memory");
  vm.module.HEAPU8.set(bytes, pointer);
  vm.lua.lua_pushlstring(state, pointer, bytes.length);
  vm.module._free(pointer);
}

function pushTable(
  vm: LuaVm,
  state: number,
  value: JsonValue[] | { [key: string]: JsonValue },
): void {
  const { lua } = vm;
  if (lua.lua_checkstack(state, 6) === 0) throw new Error("a value is nested too deeply for Lua");
  if (Array.isArray(value)) {
    lua.lua_createtable(state, value.length, 0);
    for (const [index, entry] of value.entries()) {
      push(vm, state, entry);
      lua.lua_rawseti(state, -2, BigInt(index + 1));
    }
    return;
  }
  const entries = Object.entries(value);
  lua.lua_createtable(state, 0, entries.length);
  if (entries.length === 0) {
    lua.luaL_newmetatable(state, objectMark);
    lua.lua_setmetatable(state, -2);
  }
  for (const [key, entry] of entries) {
    pushText(vm, state, key);
    push(vm, state, entry);
    lua.lua_rawset(state, -3);
  }
}
