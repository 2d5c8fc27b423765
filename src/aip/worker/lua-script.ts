import { readFileSync } from "node:fs";
import type { AskHost } from "../library/arguments.ts";
import { callModule, constants, modules } from "./modules.ts";
import type { ScriptJob } from "../lua/lua-protocol.ts";
import { callChunk, loadChunk } from "../lua/lua-call.ts";
import { type LuaValue, pushValue, readValue } from "../lua/lua-value.ts";
import { createLuaVm, luaJump, type LuaVm, rememberVm } from "../lua/lua-vm.ts";
import { errorMessage } from "../../error-message.ts";

const prelude = readFileSync(new URL("template/prelude.lua", import.meta.url), "utf8");
const shape = readFileSync(new URL("template/shape.lua", import.meta.url), "utf8");
const names = Object.fromEntries(
  Object.entries(modules).map(([name, functions]) => [name, Object.keys(functions)]),
);

/** A Lua VM with the library, before any script. */
interface World {
  vm: LuaVm;
  /** Answers the calls of its scripts. */
  ask: AskHost;
  /** Restores the initial state; returns `false` when it cannot. */
  restore: () => boolean;
}

/** The VM for the next script. */
let spare: World | undefined;

/**
 * Executes a script in a clean Lua state, so that scripts do not affect each other, and returns its result.
 *
 * @throws Error with Lua's message, which begins with the file and the line.
 */
export async function executeScript(job: ScriptJob, ask: AskHost): Promise<LuaValue> {
  return await inWorld(ask, (vm) => executeIn(vm, job));
}

/**
 * Compiles a script without executing it.
 *
 * @throws Error with Lua's message, which begins with the file and the line.
 */
export async function compileScript(
  script: Pick<ScriptJob, "name" | "code" | "line">,
): Promise<void> {
  await inWorld(refuse, (vm) => loadScript(vm, script));
}

const refuse: AskHost = () => {
  throw new Error("a check executes nothing");
};

async function inWorld<Value>(ask: AskHost, work: (vm: LuaVm) => Value): Promise<Value> {
  const world = spare ?? (await createWorld());
  spare = undefined;
  world.ask = ask;
  let isSound = true;
  try {
    return work(world.vm);
  } catch (error) {
    // Not a Lua error: the VM itself failed.
    isSound = error instanceof Error && error.name === "Error";
    throw error;
  } finally {
    if (isSound && world.restore()) spare = world;
  }
}

async function createWorld(): Promise<World> {
  const vm = await createLuaVm();
  const { lua, state } = vm;
  const world: World = { vm, ask: () => null, restore: () => false };
  const host = vm.module.addFunction((caller) => answerCall(world, caller), "ii");
  loadChunk(vm, prelude, "prelude");
  lua.lua_pushcclosure(state, host, 0);
  pushValue(vm, state, { modules: names, constants, null: [null] });
  callChunk(vm, 2, 3);
  // The third result of the prelude registers modules written in Lua; the first two stay on the stack.
  loadChunk(vm, shape, "shape");
  lua.lua_rotate(state, -2, 1);
  callChunk(vm, 1, 0);
  world.restore = rememberVm(vm);
  return world;
}

/** A pending to-be-closed variable prevents tail calls, so that an error in a returned call has its line. */
const keepFrame = "local __frame <close> = nil; ";

/** The stack index of the prelude's function that explains messages. */
const explainHandler = 1;

function executeIn(vm: LuaVm, job: ScriptJob): LuaValue {
  const { lua, state } = vm;
  pushValue(vm, state, { seed: job.seed });
  callChunk(vm, 1, 0);
  for (const [name, value] of Object.entries(job.globals)) {
    pushValue(vm, state, value);
    lua.lua_setglobal(state, name);
  }
  loadScript(vm, job);
  callChunk(vm, 0, 1, explainHandler);
  return readValue(vm, state, lua.lua_gettop(state), "the returned value");
}

function loadScript(
  vm: LuaVm,
  { name, code, line }: Pick<ScriptJob, "name" | "code" | "line">,
): void {
  loadChunk(vm, "\n".repeat(line - 1) + keepFrame + code, name);
}

/** Answers a call from Lua: pushes true and the results, or false and a message. Throws only Lua's own jumps. */
function answerCall({ vm, ask }: World, caller: number): number {
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
    pushValue(vm, caller, errorMessage(error));
    return 2;
  }
}

function dispatch(name: string, values: LuaValue[], ask: AskHost): ReturnType<typeof callModule> {
  // Calls of the standard library.
  if (name === "require" || name === "time.now") return ask(name, ...values);
  if (name === "print") return ask("report", { type: "print", text: values[0] ?? "" });
  return callModule(name, values, ask);
}

function isSeveral(
  result: ReturnType<typeof callModule>,
): result is Exclude<ReturnType<typeof callModule>, LuaValue> {
  return typeof result === "object" && result !== null && Object.hasOwn(result, "several");
}
