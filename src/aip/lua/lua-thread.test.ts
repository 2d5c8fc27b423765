import { afterAll, expect, test, vi } from "vitest";
import type { LuaOutcome } from "./lua-protocol.ts";
import { type LuaLimits, startLuaThread } from "./lua-thread.ts";
import type { LuaValue } from "./lua-value.ts";

// One thread for all tests, because each script has its own Lua state.
const thread = startLuaThread({ memoryBytes: 128 * 1024 * 1024 });
afterAll(() => thread.close());

const never = new AbortController().signal;
const printed: LuaValue[] = [];

async function execute(
  code: string,
  globals: Record<string, LuaValue> = {},
  on = thread,
): Promise<LuaOutcome> {
  const job = { type: "script", name: "a.aip", line: 1, seed: [1, 2] } as const;
  return on.execute({ ...job, seed: [1, 2], code, globals }, answer, never);
}

async function answer(name: string, args: LuaValue[]): Promise<LuaValue> {
  if (name === "time.now") return 1_700_000_000_000;
  if (name === "report") printed.push(args[0]);
  if (name === "file.load") throw new Error(`${args[0] as string} is not there`);
  if (name === "require") return { name: "lua/m.lua", code: (args[0] as string).slice(1) };
  return null;
}

async function valueOf(code: string, globals: Record<string, LuaValue> = {}): Promise<LuaValue> {
  const outcome = await execute(code, globals);
  if (outcome.type !== "value") throw new Error(JSON.stringify(outcome));
  return outcome.value;
}

async function failureOf(code: string): Promise<string> {
  const outcome = await execute(code);
  if (outcome.type !== "failure") throw new Error(`it worked: ${JSON.stringify(outcome)}`);
  return outcome.message;
}

test("values keep their type in both directions: text, integers, null inside tables and nil", async () => {
  const input = {
    text: "ä\0€\n",
    list: [1, null, 2.5],
    empty: {},
    big: 1_700_000_000_000_000,
    not: false,
  };
  expect(await valueOf("return input", { input })).toEqual(input);
  expect(
    await valueOf("return { #input.text, math.type(input.list[1]), is_null(input.list[2]) }", {
      input,
    }),
  ).toEqual([7, "integer", true]);
  expect(
    await valueOf(
      "return { value_or(nil, null, false, 1), value_or(nil, null) == null, is_not_null(false), is_not_null(null), is_table({}), is_table(null), is_list({ 1 }), is_list({}), is_object({}), is_object({ 1 }), is_object(null) }",
    ),
  ).toEqual([false, true, true, false, true, false, true, false, true, false, false]);
  expect(
    await valueOf(
      "return { input == nil, null ~= nil, value_or(null, 3), nil_if_null(null) == nil, type(null) }",
      { input: null },
    ),
  ).toEqual([true, true, 3, true, "userdata"]);
  expect(await valueOf("return { [2] = 'b', x = { [3] = 1 } }")).toEqual({ 2: "b", x: { 3: 1 } });
  expect(
    await valueOf(
      "local called return { setmetatable({ a = 1 }, { __index = function() called = true end, __pairs = function() called = true return next, {} end, __len = function() called = true return 9 end }), called == nil }",
    ),
  ).toEqual([{ a: 1 }, true]);
  expect(await valueOf("return ('x'):rep(1000000):len()")).toBe(1_000_000);
});

test.each([
  ["return { a = { function() end } }", "the returned value.a[1] is a function"],
  ["local t = {} t.inner = { t } return t", "the returned value.inner[1] contains itself"],
  ["return { 0/0 }", "the returned value[1] is NaN"],
  ["return { x = 1/0 }", "the returned value.x is infinity"],
  ["return coroutine.create(print)", "is a thread"],
  ["return { [{}] = 1 }", "has a table as a key"],
  ["return math.maxinteger", "an integer beyond 2^53"],
  ["return '\\xff\\xfe'", "a string that is not UTF-8"],
  ["local t = {} for i = 1, 200 do t = { t } end return t", "nested deeper than 100 tables"],
  ["local s = ('x'):rep(9000000) return { s, s, s, s, s, s, s, s }", "bytes can leave Lua at once"],
  ["aip.json.stringify({ a = print })", "argument 1.a is a function"],
])("%s is refused with a reason and a place", async (code, message) => {
  expect(await failureOf(code)).toContain(message);
});

test("functions that reach outside do not exist, and their use is an error that says so", async () => {
  const names =
    "io, load, loadstring, loadfile, dofile, debug, warn, string.dump, os.remove, os.exit, package.loadlib";
  const code = `local n = 0 for _, v in pairs({ ${names
    .split(", ")
    .map((name) => `${name} ~= nil`)
    .join(", ")} }) do if v then n = n + 1 end end return n`;
  expect(await valueOf(code)).toBe(0);
  expect(await failureOf("os.execute('true')")).toBe(
    "a.aip:1: os.execute is not supported; os has: clock, date, difftime, getenv, time",
  );
  expect(await failureOf("io.open('x')")).toContain("attempt to index a nil value (global 'io')");
  expect(await failureOf("load('return 1')()")).toContain(
    "attempt to call a nil value (global 'load')",
  );
  expect(
    await valueOf(
      "return { os.time(), os.date('!%Y-%m-%d'), os.clock(), os.getenv('HOME') == nil }",
    ),
  ).toEqual([1_700_000_000, "2023-11-14", 1_700_000_000, true]);
});

test("a function that is not supported is nil in a condition and is named by the error of a call, even under pcall", async () => {
  expect(await valueOf("return { aip.pdf.page_count == nil, aip.nothing == nil }")).toEqual([
    true,
    true,
  ]);
  expect(await failureOf("local n = aip.pdf.page_count('x')")).toBe(
    "a.aip:1: aip.pdf.page_count is not supported; aip.pdf has: nothing",
  );
  expect(
    await valueOf("local _, e = pcall(function() local x = aip.csv.guess('x') end) return e"),
  ).toMatch(
    /aip\.csv\.guess is not supported; aip\.csv has: parse, parse_row, value_lists_to_rows, values_to_row/,
  );
  expect(await failureOf("return aip.json.nope()")).toContain("aip.json.nope is not supported");
  const hasModules = /aip\.nothing is not supported; aip has: agent, cmd, .*, yaml, zip$/;
  expect(await failureOf("local x = aip.nothing.at_all('x')")).toMatch(hasModules);
  expect(await valueOf("return select(2, pcall(function() aip.nothing.at_all() end))")).toMatch(
    hasModules,
  );
  expect(await failureOf("local t = {} local x = aip.nothing return t.field.name")).toBe(
    "a.aip:1: attempt to index a nil value (field 'field')",
  );
  expect(await failureOf("missing()")).toBe(
    "a.aip:1: attempt to call a nil value (global 'missing')",
  );
});

test("scripts do not share state", async () => {
  await valueOf(
    "getmetatable('').__index = function() return function() return 'mine' end end\n" +
      "string.upper = nil; aip.text.trim = print; leftover = 1; table.insert = nil; null = 4\n" +
      "package.loaded.x = 1; math.random = nil; _G.pairs = nil; return 1",
  );
  expect(
    await valueOf(
      "return { ('a'):upper(), aip.text.trim(' b '), leftover == nil, type(table.insert), is_null(null), type(pairs) }",
    ),
  ).toEqual(["A", "b", true, "function", true, "function"]);
});

test("the same script repeats exactly: random numbers, order of tables and addresses", async () => {
  const code =
    "local t = {} for i = 1, 50 do t['k' .. i * 7] = i end local s = tostring(t)\n" +
    "for k in pairs(t) do s = s .. k end return s .. math.random() .. tostring(print)";
  const first = await valueOf(code);
  const others = [
    "error('x')",
    "return print",
    "local function f() return 1 + f() end return f()",
    "local s = 'x' while true do s = s .. s end",
    "return coroutine.wrap(function() aip.file.load('gone') end)()",
    "t = {} for i = 1, 200000 do t[i] = {} end setmetatable(t, { __gc = error }) os.getenv = nil",
    "math.random() math.random() math.randomseed(3) string.rep = nil return ('x'):byte()",
  ];
  for (const other of others) {
    await execute(other);
    expect(await valueOf(code)).toBe(first);
  }
});

test("errors have the line of the file, even in host functions, and thrown tables show their content", async () => {
  expect(await failureOf("\n\nerror('bad')")).toBe("a.aip:3: bad");
  expect(await failureOf("\nlocal x = aip.text.truncate('x')")).toBe(
    "a.aip:2: aip.text.truncate expects a number as argument 2, got nil",
  );
  expect(await failureOf("_ = 1\nreturn aip.file.load('gone.txt')")).toBe(
    "a.aip:2: gone.txt is not there",
  );
  expect(await failureOf("local f = aip.file.load('gone.txt')")).toBe(
    "a.aip:1: gone.txt is not there",
  );
  expect(await failureOf("error({ code = 7 })")).toBe('{"code":7}');
  expect(await failureOf("error(('x'):rep(5000000))")).toHaveLength(4001);
  const broken = "error(setmetatable({}, { __tostring = function() error('x') end }))";
  expect(await failureOf(broken)).toContain("Lua crashed");
  const spoken =
    "error(setmetatable({ a = 1 }, { __tostring = function(e) return 'a is ' .. e.a end }))";
  expect(await failureOf(spoken)).toBe("a is 1");
  expect(await failureOf("return {")).toMatch(/^a\.aip:1: unexpected symbol near/);
  expect(await valueOf("local ok, e = pcall(error, null) return { ok, is_null(e) }")).toEqual([
    false,
    true,
  ]);
});

test("modules run once, appear in messages by name, and must not require themselves", async () => {
  expect(
    await valueOf(
      "local m = require('.return { n = {} }') return m == require('.return { n = {} }')",
    ),
  ).toBe(true);
  expect(await failureOf("require(\".\\n\\nerror('in here')\")")).toBe("lua/m.lua:3: in here");
  expect(await failureOf("require('.return (')")).toMatch(/^lua\/m\.lua:1: /);
  expect(await failureOf("require({})")).toContain("expects the name of a module");
});

test("print shows tables and null", async () => {
  printed.length = 0;
  await valueOf("print('a', { b = { 1, 'x' } }, null, nil, 1.5)");
  expect(printed).toEqual([
    { type: "print", text: 'a\t{\n  b = {\n    1 = 1,\n    2 = "x"\n  }\n}\tnull\tnil\t1.5' },
  ]);
});

test("deep recursion and too much memory are errors that a script can catch", async () => {
  expect(await failureOf("local function f() return 1 + f() end f()")).toContain("stack overflow");
  expect(await valueOf("return select(2, pcall(string.rep, 'x', 2^28))")).toBe("not enough memory");
  expect(
    await failureOf("local t = {} while true do t[#t + 1] = ('x'):rep(1e6) .. #t end"),
  ).toContain("not enough memory");
  const nested = "local function f(s) return (s:gsub('x', function() return f(s) end)) end f('x')";
  expect(await failureOf(nested)).toContain("C stack overflow");
  expect(await valueOf("return 1")).toBe(1);
});

async function expectEnd(code: string, limits: LuaLimits, message: RegExp): Promise<void> {
  const doomed = startLuaThread(limits);
  await expect(execute(code, {}, doomed)).rejects.toThrow(message);
  expect(doomed.isAlive()).toBe(false);
}

test("an endless script is stopped, whatever it catches and wherever it hangs", async () => {
  const limits = { seconds: 0.05 };
  const message = /took longer than 0\.05 s/;
  await Promise.all([
    expectEnd("while true do pcall(function() while true do end end) end", limits, message),
    expectEnd("return ('a'):rep(50):find(('a*'):rep(50) .. 'b')", limits, message),
    expectEnd(
      "return aip.hbs.render('{{#each l}}{{#each ../l}}{{#each ../../l}}{{#each ../../../l}}x{{/each}}{{/each}}{{/each}}{{/each}}', { l = input })".replace(
        "input",
        "(function() local t = {} for i = 1, 300 do t[i] = i end return t end)()",
      ),
      limits,
      message,
    ),
  ]);
});

test("waiting for the host does not count as the script's time", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const job = { type: "script", name: "a.aip", line: 1, globals: {} } as const;
    const outcome = await thread.execute(
      { ...job, seed: [1, 2], code: "aip.agent.run('x') return 'done'" },
      async () => {
        await vi.advanceTimersByTimeAsync(3_600_000);
        return null;
      },
      never,
    );
    expect(outcome).toEqual({ type: "value", value: "done" });
  } finally {
    vi.useRealTimers();
  }
});
