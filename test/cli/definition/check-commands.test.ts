import { expect, it } from "vitest";
import { cadre, createProject } from "../command-line.ts";

it("cadre check reports problems of commands, and takes them for no agents", async () => {
  const project = createProject({
    ".claude/commands/good.md": "---\ndescription: Does it\n---\nDo $1",
    ".claude/commands/empty.md": "---\ndescription: Does nothing\n---\n",
  });
  for (const words of [[], [".claude/commands"], [".claude/commands/empty.md"]]) {
    const { code, stdout } = await cadre(project, ["check", ...words]);
    expect([code, stdout]).toEqual([1, expect.stringContaining("prompt-missing")]);
    expect(stdout).toContain("1 error, 0 warnings");
  }
  const { code, stdout } = await cadre(project, ["check", ".claude/commands/good.md"]);
  expect([code, stdout.trim()]).toEqual([0, "0 errors, 0 warnings"]);
});
