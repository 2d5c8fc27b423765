import * as fc from "fast-check";
import { expect, test } from "vitest";
import { samples } from "../../../test/is-long.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { createBuiltinTools } from "./builtin-tools.ts";

test("a tool turns any arguments into a call or a problem, and never drops a key named __proto__", async () => {
  const [workspace, home] = [temporaryFolder(), temporaryFolder()];
  const tools = await createBuiltinTools({ workspace, home });
  const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];
  const fields = ["command", "file_path", "content", "pattern", "path", "url", "thought", "skill"];
  const key = fc.constantFrom(...names, ...fields);
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, fc.string(), fc.integer(), fc.constant(null), tie("object")),
    object: fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map((entries) => {
      return Object.fromEntries(entries) as unknown;
    }),
  }));
  const entries = fc.array(fc.tuple(key, fc.oneof(value, fc.constant("a"))), { maxLength: 6 });
  fc.assert(
    fc.property(fc.constantFrom(...tools), entries, (tool, given) => {
      const input: unknown = JSON.parse(JSON.stringify(Object.fromEntries(given)));
      const call = tool.prepare(input, { workspace });
      const isOdd = given.some(([name]) => name === "__proto__");
      if (isOdd) expect(call).toHaveProperty("problem");
      else if ("problem" in call) expect(call.problem).toContain(tool.name);
      else expect(call.title).not.toBe("");
      expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
    }),
    { numRuns: samples(2000) },
  );
});
