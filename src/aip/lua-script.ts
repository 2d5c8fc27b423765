import { readFileSync } from "node:fs";
import type { AskHost } from "./library/arguments.ts";
import { callModule, constants, modules } from "./library/modules.ts";
import type { ScriptJob } from "./lua-protocol.ts";
import { callChunk, loadChunk } from "./lua-call.ts";
import { type LuaValue, pushValue, readValue } from "./lua-value.ts";
import { createLuaVm, luaJump, type LuaVm } from "./lua-vm.ts";

const prelude = readFileSync(new URL("template/prelude.lua", import.meta.url), "utf8");
const shape = readFileSync(new URL("template/shape.lua", import.meta.url), "utf8");
const names = Object.fromEntries(
  Object.entries(modules).map(([name, functions]) => [name, Object.keys(functions)]),
);

/**
 * Executes a script in a Lua of its own, so that nothing of it stays for the next, and returns what it returns.
 *
 * @throws Error with Lua's message, which begins with the file and the line.
 */
export async function executeScript(job: ScriptJob, ask: AskHost): Promise<LuaValue> {
  const vm = await createLuaVm();
  const { lua, state } = vm;
  const host = vm.module.addFunction((caller) => answerCall(vm, caller, ask), "ii");
  loadChunk(vm, prelude, "prelude");
  lua.lua_pushcclosure(state, host, 0);
  pushValue(vm, state, {
    modules: names,
    constants,
    seed: job.seed,
    environment: job.environment,
    null: [null],
  });
  callChunk(vm, 2, 1);
  // What the prelude returns takes modules that are written in Lua.
  loadChunk(vm, shape, "shape");
  lua.lua_rotate(state, -2, 1);
  callChunk(vm, 1, 0);
  for (const [name, value] of Object.entries(job.globals)) {
    pushValue(vm, state, value);
    lua.lua_setglobal(state, name);
  }
  loadChunk(vm, "\n".repeat(job.line - 1) + job.code, job.name);
  callChunk(vm, 0, 1);
  return readValue(vm, state, lua.lua_gettop(state), "the returned value");
}

/** A call out of Lua: leaves true and the results, or false and a message. Never throws but for Lua's own jumps. */
function answerCall(vm: LuaVm, caller: number, ask: AskHost): number {
  const { lua } = vm;
  try {
    const count = lua.lua_gettop(caller);
    const [name, ...values] = Array.from({ length: count }, (_, index) =>
      readValue(vm, caller, index + 1, index === 0 ? "name" : `argument ${index}`),
    );
    const result = dispatch(name as string, values, ask);
    const several = isSeveral(result) ? result.several : [result];
    lua.lua_settop(caller, 0);
    lua.lua_pushboolean(caller, 1);
    for (const value of several) pushValue(vm, caller, value);
    return several.length + 1;
  } catch (error) {
    if (error === luaJump) throw error;
    lua.lua_settop(caller, 0);
    lua.lua_pushboolean(caller, 0);
    pushValue(vm, caller, error instanceof Error ? error.message : String(error));
    return 2;
  }
}

function dispatch(name: string, values: LuaValue[], ask: AskHost): ReturnType<typeof callModule> {
  // The standard library's own calls.
  if (name === "require" || name === "time.now") return ask(name, ...values);
  if (name === "print") return ask("report", { type: "print", text: values[0] ?? "" });
  return callModule(name, values, ask);
}

function isSeveral(
  result: ReturnType<typeof callModule>,
): result is Exclude<ReturnType<typeof callModule>, LuaValue> {
  return typeof result === "object" && result !== null && Object.hasOwn(result, "several");
}
