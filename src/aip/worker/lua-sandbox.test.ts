import { afterAll, describe, expect, test } from "vitest";
import type { LuaOutcome } from "../lua/lua-protocol.ts";
import { startLuaThread } from "../lua/lua-thread.ts";
import type { LuaValue } from "../lua/lua-value.ts";

// Little memory, so that it is used up quickly.
const thread = startLuaThread({ memoryBytes: 32 * 1024 * 1024 });
afterAll(() => thread.close());
const never = new AbortController().signal;

async function execute(code: string, on = thread): Promise<LuaOutcome> {
  const job = { type: "script", name: "a.aip", line: 1, globals: {} } as const;
  return await on.execute({ ...job, seed: [1, 2], code }, answer, never);
}

async function answer(name: string, args: LuaValue[]): Promise<LuaValue> {
  if (name === "require") return { name: "m.lua", code: args[0] as string };
  return name === "file.load" ? { content: "text" } : null;
}

async function valueOf(code: string): Promise<LuaValue> {
  const outcome = await execute(code);
  if (outcome.type !== "value") throw new Error(JSON.stringify(outcome));
  return outcome.value;
}

describe("memory is bounded", () => {
  test.each([
    ["by a table", "local t = {} for i = 1, 1e9 do t[i] = i end"],
    ["by a text that doubles", "local s = 'x' while true do s = s .. s end"],
    ["by a replacement", "return #(('x'):rep(1e6):gsub('x', ('y'):rep(1000)))"],
    [
      "by a concatenation",
      "local s = ('x'):rep(1e6) local t = {} for i = 1, 99 do t[i] = s end return #table.concat(t)",
    ],
    ["by coroutines", "local t = {} while true do t[#t + 1] = coroutine.create(print) end"],
    ["by closures", "local t = {} while true do t[#t + 1] = function() return t end end"],
    ["by a text of 2^62 bytes", "return #(('x'):rep(2^62))"],
  ])("a script that exceeds the limit fails: %s", async (_, code) => {
    const outcome = await execute(code);
    expect(outcome).toMatchObject({
      type: "failure",
      message: expect.stringMatching(/not enough memory|too large/),
    });
    // The thread can run the next script.
    expect(await valueOf("return 1")).toBe(1);
  });
});

describe("a script that hangs is stopped", () => {
  test.each([
    ["in what catches every error", "while true do pcall(function() while true do end end) end"],
    ["in handlers of errors", "local function f() xpcall(f, f) while true do end end f()"],
    [
      "in a coroutine",
      "coroutine.wrap(function() while true do pcall(function() while true do end end) end end)()",
    ],
    [
      "in a finalizer",
      "setmetatable({}, { __gc = function() while true do end end }) while true do local t = {} end",
    ],
    [
      "in what closes a variable",
      "do local x <close> = setmetatable({}, { __close = function() while true do end end }) end",
    ],
    ["in a comparison", "table.sort({ 1, 2, 3 }, function() while true do end end)"],
    ["in a pattern", "return ('a'):rep(300000):find('.-.-.-.-b')"],
    [
      "in memory that is never enough",
      "while true do pcall(function() local t = {} while true do t[#t + 1] = {} end end) end",
    ],
    ["in a module", "require('while true do end')"],
  ])("%s", async (_, code) => {
    const doomed = startLuaThread({ seconds: 0.05, memoryBytes: 32 * 1024 * 1024 });
    await expect(execute(code, doomed)).rejects.toThrow("took longer than 0.05 s");
    expect(doomed.isAlive()).toBe(false);
  });
});

describe("the sandbox has no escape", () => {
  test.each([
    [
      "code cannot be made of text",
      "return { type(load), type(loadstring), type(dofile), type(loadfile), type(string.dump), type(package.searchers), type(package.loaders) }",
      Array(7).fill("nil"),
    ],
    [
      "nothing looks into functions",
      "return { type(debug), tostring(getmetatable(aip)), tostring(getmetatable(aip.file)), tostring(getmetatable(null)) }",
      ["nil", "false", "false", "false"],
    ],
    [
      "what the library is guarded by cannot be replaced",
      "return { (pcall(setmetatable, aip, {})), (pcall(setmetatable, os, {})), (pcall(setmetatable, null, {})) }",
      [false, false, false],
    ],
    [
      "changed texts and tables do not reach the library",
      "getmetatable('').__index = nil table.concat, table.insert, pairs, ipairs, next, type, error = nil, nil, nil, nil, nil, nil, nil return aip.text.trim(' x ')",
      "x",
    ],
    [
      "modules are found by names only",
      "return { select(2, pcall(require)), select(2, pcall(require, 1)), select(2, pcall(require, {})) }",
      [
        "require expects the name of a module, got nil",
        "require expects the name of a module, got number",
        "require expects the name of a module, got table",
      ],
    ],
    [
      "the library can be called from coroutines and finalizers",
      "for i = 1, 500 do setmetatable({}, { __gc = function() aip.file.load('x') error('x') end }) end local c = coroutine.wrap(function() return aip.file.load('x').content end) return c()",
      "text",
    ],
  ])("%s", async (_, code, expected) => {
    expect(await valueOf(code)).toEqual(expected);
  });
});
