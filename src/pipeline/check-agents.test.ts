import { expect, test } from "vitest";
import { findUnknownAgents } from "./check-agents.ts";
import { parsePrompt } from "./prompt-file.ts";

test("an entry whose agent there is not is an error with its place; paths and packs are left alone", () => {
  const text = `---
sub_agents:
  - reader
  - raeder
  - name: writer
  - name: ./agents/own.ts
  - pro@coder/dev
  - 5
---
x`;
  const found = findUnknownAgents(parsePrompt(text, "/work/prompt.md"), ["reader", "main"]);
  expect(found.map(({ line, code }) => `${line} ${code}`)).toEqual([
    "4 agent-not-found",
    "5 agent-not-found",
  ]);
  expect(found[0]?.message).toContain("Did you mean `reader`?");
});
