import { readValue } from "./lua-value.ts";
import { luaJump, type LuaVm } from "./lua-vm.ts";

const tableType = 5;

/**
 * Compiles `code` and pushes the function on the stack.
 *
 * @param name the file name in messages.
 *
 * @throws Error with Lua's message.
 */
export function loadChunk(vm: LuaVm, code: string, name: string): void {
  const bytes = Buffer.from(code);
  const pointer = vm.module._malloc(bytes.length + 1);
  if (pointer === 0) throw new Error("not enough memory");
  vm.module.HEAPU8.set(bytes, pointer);
  const { lua, state } = vm;
  const status = lua.luaL_loadbufferx(state, pointer, bytes.length, `=${name}`, "t") as number;
  vm.module._free(pointer);
  if (status !== 0) throw new Error(takeMessage(vm));
}

/**
 * Calls the function below `argumentCount` arguments and pushes `resultCount` results.
 *
 * @param handler the stack index of the message handler; 0 = none.
 *
 * @throws Error with Lua's message.
 */
export function callChunk(
  vm: LuaVm,
  argumentCount: number,
  resultCount: number,
  handler = 0,
): void {
  const status = vm.lua.lua_pcallk(vm.state, argumentCount, resultCount, handler, 0, null);
  if (status !== 0) throw new Error(takeMessage(vm));
}

function takeMessage(vm: LuaVm): string {
  const { lua, state } = vm;
  const top = lua.lua_gettop(state);
  // Scripts also throw tables. Shows their content rather than their address, unless they have a __tostring.
  const isTable = (lua.lua_type(state, top) as number) === tableType;
  const hasWords = isTable && (lua.luaL_getmetafield(state, top, "__tostring") as number) !== 0;
  lua.lua_settop(state, top);
  const message =
    isTable && !hasWords ? describeTable(vm, top) : lua.luaL_tolstring(state, top, null);
  lua.lua_settop(state, top - 1);
  return message;
}

function describeTable(vm: LuaVm, index: number): string {
  try {
    return JSON.stringify(readValue(vm, vm.state, index, "the error"));
  } catch (error) {
    if (error === luaJump) throw error;
    return vm.lua.luaL_tolstring(vm.state, index, null);
  }
}
