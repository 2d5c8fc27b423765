import { createRequire } from "node:module";
import type * as Wasmoon from "wasmoon";

/** The parts of the wasm module that have no types. */
interface LuaModule {
  HEAPU8: Uint8Array;
  _malloc(size: number): number;
  _free(pointer: number): void;
  _lua_rawlen(state: number, index: number): bigint;
  _lua_tolstring(state: number, index: number, length: number): number;
  addFunction(action: (state: number) => number, signature: string): number;
}

/** A Lua VM with one state and its own memory. Only for worker threads. */
export interface LuaVm {
  lua: Wasmoon.LuaWasm;
  module: LuaModule;
  /** The main thread of the state. */
  state: number;
  /** The exports behind {@link LuaModule}, for {@link rememberVm}. */
  exports: LuaExports;
}

interface LuaExports {
  memory: { buffer: ArrayBuffer };
  stackSave(): number;
  stackRestore(pointer: number): void;
}

/** The value that a failed call into the host throws through JavaScript: a C longjmp that must reach Lua. */
export const luaJump: number = Infinity;

/** The replaced part of WebAssembly, which Node's types declare only as a namespace. */
interface WebAssemblyApi {
  Memory: { prototype: { grow(this: { buffer: ArrayBuffer }, pages: number): number } };
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(code: object, imports: object): Promise<{ exports: object }>;
}

/** The exports of the VM that was created last. */
let latestExports: LuaExports | undefined;

const pageBytes = 65_536;

/**
 * Prepares this thread for {@link createLuaVm}. WebAssembly memories stay within `memoryBytes`, beyond which Lua reports "not
 * enough memory". The clock is constant: Lua seeds its hash tables with it, and a repeated script must do the same.
 */
export function prepareLuaThread(memoryBytes: number): void {
  const api = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
  const { grow } = api.Memory.prototype;
  api.Memory.prototype.grow = function growWithin(pages: number): number {
    if (this.buffer.byteLength + pages * pageBytes > memoryBytes)
      throw new RangeError("the memory of the script is used up");
    return grow.call(this, pages);
  };
  const instantiate = api.instantiate.bind(api);
  // LuaWasm.initialize cannot take a compiled module, and compiling takes ten times as long as the rest.
  let compiled: Promise<object> | undefined;
  api.instantiate = async (bytes, imports) => {
    compiled ??= api.compile(bytes as Uint8Array);
    const module = await compiled;
    const instance = await instantiate(module, imports);
    latestExports = instance.exports as LuaExports;
    return { module, instance } as never;
  };
  Date.now = () => 0;
}

/** Creates a VM with Lua's whole standard library; the prelude removes what scripts must not use. */
export async function createLuaVm(): Promise<LuaVm> {
  const wasmoon = createRequire(import.meta.url)("wasmoon") as typeof Wasmoon;
  const lua = await wasmoon.LuaWasm.initialize();
  if (latestExports === undefined) throw new Error("this thread was not prepared for Lua");
  const exports = latestExports;
  const state = lua.luaL_newstate();
  lua.luaL_openlibs(state);
  return { lua, module: lua.module as unknown as LuaModule, state, exports };
}

/**
 * Takes a snapshot of a VM. The returned function restores it, which is much faster than creating another; it returns `false`
 * when that is impossible because the memory has grown.
 */
export function rememberVm({ exports }: LuaVm): () => boolean {
  const { memory } = exports;
  const pointer = exports.stackSave();
  const size = memory.buffer.byteLength;
  const bytes = new Uint8Array(memory.buffer);
  const image = bytes.slice(0, endOfUse(bytes));
  return () => {
    if (memory.buffer.byteLength !== size) return false;
    const now = new Uint8Array(memory.buffer);
    now.set(image);
    wipe(now, image.length);
    exports.stackRestore(pointer);
    return true;
  };
}

const emptyPage = new Uint8Array(pageBytes);

function isEmpty(bytes: Uint8Array, page: number): boolean {
  const start = page * pageBytes;
  return Buffer.compare(bytes.subarray(start, start + pageBytes), emptyPage) === 0;
}

/** Returns the offset after the last page that was written to. */
function endOfUse(bytes: Uint8Array): number {
  let pages = bytes.length / pageBytes;
  while (pages > 0 && isEmpty(bytes, pages - 1)) pages -= 1;
  return pages * pageBytes;
}

/**
 * After this many empty pages, no later page was written. Even if one was, Lua never reads memory that it did not write before.
 */
const gap = 32;

/** Clears the used pages from `start` on. Memory is used in order, so most of it need not be touched. */
function wipe(bytes: Uint8Array, start: number): void {
  let empty = 0;
  for (let page = start / pageBytes; page * pageBytes < bytes.length && empty < gap; page += 1) {
    if (isEmpty(bytes, page)) empty += 1;
    else {
      empty = 0;
      bytes.fill(0, page * pageBytes, (page + 1) * pageBytes);
    }
  }
}
