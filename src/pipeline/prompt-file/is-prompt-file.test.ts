import { expect, test } from "vitest";
import { isPromptFile } from "./is-prompt-file.ts";

const agent = "---\nname: a\ndescription: b\n---\nYou are a.";

test.each([
  ["only words", "p.md", "Do it.", true],
  ["a block of parameters", "p.md", "Do it.\n\n~~~toml\n//!meta\nmodel = 'x'\n~~~\n", true],
  ["a block in an agent", "p.md", `${agent}\n\`\`\`yaml\n#!meta\nmodel: x\n\`\`\`\n`, true],
  ["TOML frontmatter", "p.md", "+++\nmodel = 'x'\n+++\nDo it.", true],
  ["sub-agents beside a name", "p.md", agent.replace("name", "sub_agents: [x]\nname"), true],
  ["only a model", "p.md", "---\nmodel: x\n---\nDo it.", true],
  ["an agent", "p.md", agent, false],
  ["an agent whose YAML is broken", "p.md", "---\ndescription: use: it\n---\nYou.", false],
  ["a line of plus signs in the text", "p.md", `${agent}\n+++\n`, false],
  ["another kind of file", "p.txt", "Do it.", false],
])("%s: it is classified as a prompt file or not", (_, path, text, is) => {
  expect(isPromptFile(path, text)).toBe(is);
});
