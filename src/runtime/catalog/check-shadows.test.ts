import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../config/load-config.ts";
import { checkProject } from "./check-project.ts";
import { createCatalog } from "./catalog.ts";

test("a check reports the shadowed agents that a list of agents reports", async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), "cadre-check-")));
  const cwd = join(home, "project");
  const files: Readonly<Record<string, string>> = {
    "project/.cadre/agents/a.md": "a: ours",
    "project/.claude/agents/a.md": "a: theirs",
    ".cadre/agents/a.md": "a: the user's",
    "project/.claude/agents/b.md": "b: the same",
    "project/.opencode/agents/b.md": "b: the same",
  };
  await mkdir(join(cwd, ".git"), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    const [name, description] = text.split(": ");
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(
      join(home, path),
      `---\nname: ${name}\ndescription: ${description}\n---\nBody.\n`,
    );
  }
  const request = { cwd, home, environment: {}, isTrusted: () => true };
  const configuration = await loadConfig({ ...request, flags: {} });
  const fixture = { ...request, configuration };
  const found = await checkProject([], fixture);
  const listed = (await createCatalog([], fixture).discover()).diagnostics;
  const about = (findings: typeof found): string[] =>
    findings.map(({ path, code }) => `${path.slice(home.length + 1)} ${code}`);
  expect(about(found)).toEqual([
    "project/.claude/agents/a.md shadowed",
    ".cadre/agents/a.md shadowed",
    "project/.opencode/agents/b.md copies",
  ]);
  expect(about(listed)).toEqual(about(found));
});
