import { expect, test } from "vitest";
import { compareEffects } from "./compare-effects.ts";
import { convertAgent } from "./convert.ts";
import { parseNative } from "./native/native.ts";

function native(header: string) {
  const text = `---\nname: a\ndescription: d\n${header}\n---\nBody.`;
  return parseNative({ path: "/p/a.md", text, scope: "project" });
}

function gains(before: string, after: string): string[] {
  const losses = compareEffects(native(before), native(after));
  return losses.filter(({ isGain }) => isGain === true).map(({ field }) => field);
}

test.each([
  ["permission_mode: ask", "", ["permissionMode"]],
  ["permission_mode: plan", "permission_mode: ask", ["permissionMode"]],
  ["permission_mode: ask", "permission_mode: plan", []],
  ["permission_mode: auto", "", []],
  ["tools: Read", "tools: Read, Bash", ["tools"]],
  ["tools: Read, Bash", "tools: Read", []],
  ["tools: Bash(git:*)", "tools: Bash", ["permissions"]],
])("from %s to %s an agent may do more by %j", (before, after, fields) => {
  expect(gains(before, after)).toEqual(fields);
});

test("a lost field is listed once, with the reason and with what it allows", () => {
  const { lost } = convertAgent(native("permission_mode: plan"), "gemini");
  expect(lost.filter(({ field }) => field === "permissionMode")).toEqual([
    {
      field: "permissionMode",
      message:
        "the format has no such field; it does not have the mode `plan`, so it may do more than before",
      isGain: true,
    },
  ]);
});
