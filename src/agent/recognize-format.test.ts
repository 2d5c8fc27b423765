import { expect, test } from "vitest";
import { formatOfPath, recognizeFormat } from "./recognize-format.ts";

function nameOfFormat(path: string, text: string): string {
  return (formatOfPath(path) ?? recognizeFormat(path, text)).name;
}

const long = "word ".repeat(300);

test.each([
  ["/x/a.md", "name: a\ndescription: d", "cadre"],
  ["/x/a.md", "name: other\ndescription: d\ntimeout: 60", "cadre"],
  ["/x/a.md", "name: other\ndescription: d", "claude"],
  ["/x/Python Pro.md", "name: Python Pro\ndescription: d", "claude"],
  ["/x/a.md", `name: a\ndescription: ${long}`, "claude"],
  ["/x/a.md", "description: d\nmode: subagent", "opencode"],
  ["/x/a.md", "name: a\ndescription: d\nkind: local", "gemini"],
  ["/x/a.md", "name: a\ndescription: d\nreadonly: true", "cursor"],
  ["/x/a.agent.md", "description: d", "copilot"],
  ["/x/.claude/agents/a.md", "name: a\ndescription: d", "claude"],
  ["/x/a.toml", "", "codex"],
  ["/x/a.mts", "", "program"],
])("%s with %j is a file of its program", (path, header, format) => {
  expect(nameOfFormat(path, `---\n${header}\n---\nBody.`)).toBe(format);
});

test("a file without frontmatter is read as one of Cadre's, which reports what is missing", () => {
  expect(nameOfFormat("/x/a.md", "# Notes")).toBe("cadre");
});
