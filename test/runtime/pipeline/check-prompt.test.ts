import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { checkPrompt } from "../../../src/host.ts";
import { createModelProject } from "../../fixtures/project.ts";

const text = `---
agent: coder.md
sub_agents:
  - reader
  - raeder
  - { name: nobody, enabled: false }
  - near.ts
  - tools/far.ts
  - gone.ts
  - own@pack/shape
  - own@pack/other
  - pro@coder/auto-context
  - plain.md
  - { name: reader, options: { model: "scripted:x.yaml" } }
  - { name: reader, options: { model: sonet } }
  - { name: reader, options: { model: haiku-low } }
---
Fix the parser.
`;

test("a prompt file is checked with its agents looked up as a run does, each finding at its entry", async () => {
  const { write, writeAgent, folder, home, open } = createModelProject();
  const program = (name: string): string =>
    `export default { name: "${name}", description: "d", run: () => null };`;
  writeAgent("reader");
  write("prompts/prompt.md", text);
  write("prompts/near.ts", program("near"));
  write("tools/far.ts", program("far"));
  write("prompts/plain.md", "Only words.\n");
  write(".aipack/custom/own/pack/shape.aip", "# Instruction\n\nShape it.\n");
  const { configuration } = await open();
  const check = async (isTrusted: () => boolean): Promise<string[]> => {
    const project = { cwd: folder, home, environment: {}, isTrusted, configuration };
    const { diagnostics } = await checkPrompt(join(folder, "prompts/prompt.md"), project);
    return diagnostics.map(({ line, severity, code }) => `${line} ${severity} ${code}`);
  };
  const wrong = [
    "5 error agent-not-found",
    "9 error agent-not-found",
    "11 error agent-not-found",
    "12 error agent-not-found",
    "13 error definition-invalid",
    "15 error model-unavailable",
  ];
  expect(await check(() => true)).toEqual(["2 error agent-not-found", ...wrong]);
  expect(await check(() => false)).toEqual([
    "2 error agent-not-found",
    "5 error agent-not-found",
    "7 warning not-trusted",
    "8 warning not-trusted",
    "9 error agent-not-found",
    "10 warning not-trusted",
    ...wrong.slice(2, -1),
    "14 warning not-trusted",
    ...wrong.slice(-1),
  ]);
});

test("the scripts and templates of `.aip` agents are compiled, also in an untrusted folder", async () => {
  const { write, folder, home, open } = createModelProject();
  write("prompt.md", "---\nsub_agents: [broken.aip, old.aip, fine.aip]\n---\nFix it.\n");
  write("broken.aip", "# Before All\n\n```lua\nlocal x = = 1\n```\n\n# Instruction\n\n{{#if x}}\n");
  write("old.aip", "# Output\n\n```lua\nreturn aip.nothing.there()\n```\n");
  write("fine.aip", "# Output\n\n```lua\nreturn {}\n```\n");
  const { configuration } = await open();
  const project = { cwd: folder, home, environment: {}, isTrusted: () => false, configuration };
  const { diagnostics } = await checkPrompt(join(folder, "prompt.md"), project);
  const found = diagnostics.map(({ path, line, severity, code }) => [
    relative(folder, path),
    `${line} ${severity} ${code}`,
  ]);
  expect(found).toEqual([
    ...["broken.aip", "old.aip", "fine.aip"].map(() => ["prompt.md", "2 warning not-trusted"]),
    ["broken.aip", "4 error aip-lua"],
    ["broken.aip", "9 error aip-template"],
    ["old.aip", "4 warning aip-unsupported"],
  ]);
});
