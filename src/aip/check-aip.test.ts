import { afterAll, expect, test } from "vitest";
import { checkAip } from "./check-aip.ts";
import { startLuaThread } from "./lua/lua-thread.ts";
import { parseAip } from "./document/parse-aip.ts";

const thread = startLuaThread({});
afterAll(() => thread.close());

async function check(text: string): Promise<string[]> {
  const found = await checkAip(parseAip(text, "/w/a.aip"), thread);
  return found.map(
    ({ line, severity, code, message }) => `${line} ${severity} ${code}: ${message}`,
  );
}

const lua = (code: string): string => `\`\`\`lua\n${code}\n\`\`\`\n`;

test("invalid code and templates are reported with their lines, and nothing is executed", async () => {
  expect(
    await check("# Data\n" + lua("error('executed')") + "# User\n{{data.x}} {{{y}}}}\n"),
  ).toEqual([]);
  expect(
    await check(
      "# Data\n" +
        lua("\nlocal x = = 1") +
        "# Output\n" +
        lua("return 1") +
        "# After All\n" +
        lua("if"),
    ),
  ).toEqual([
    "4 error aip-lua: Expected Lua: unexpected symbol near '='.",
    expect.stringMatching(/^12 error aip-lua: Expected Lua: /),
  ]);
  expect(
    await check("# User `cache = {{`\n\nHi\n{{#if x}}\n{{/each}}\n# System\n{{#if x}}\n"),
  ).toEqual([
    expect.stringMatching(/^4 error aip-template: .* if doesn't match each$/),
    expect.stringMatching(/^1 error aip-template: .*got 'EOF'$/),
    expect.stringMatching(/^7 error aip-template: .*got 'EOF'$/),
  ]);
});

test("unsupported functions are reported once, with their line", async () => {
  const code = [
    "-- aip.file.no and aip.nothing.x",
    "local a = aip.file.load('x') -- aip.file.no",
    "if aip.file.later then aip.file.later() end",
    "utils.file.save('x', my.aip.file.no, my_aip.file.no)",
    "return aip.flow.skip(aip.lua.dump(aip.shape.to_record({}, {}))), aip.nothing.x, utils.text.no()",
  ];
  expect(await check("# Data\n" + lua(code.join("\n")))).toEqual([
    "5 warning aip-unsupported: aip.file.later is not supported; calling it fails.",
    "7 warning aip-unsupported: aip.nothing.x is not supported; calling it fails.",
    "7 warning aip-unsupported: aip.text.no is not supported; calling it fails.",
  ]);
  expect(await check("# Data\n" + lua("local utils = require('my')\nutils.text.no()"))).toEqual([]);
});
