import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SandboxOptions } from "../../src/tool/sandbox/sandbox-options.ts";
import { createWriteTool } from "../../src/tool/builtin/write.ts";
import { createAttacker, hasSandbox, listAll } from "../fixtures/attack/attacker.ts";

const modes: NonNullable<SandboxOptions["mode"]>[] = hasSandbox ? ["required", "off"] : ["off"];

describe.each(modes)("with sandbox %s, a command cannot keep", (mode) => {
  test.each([
    [".cadre/config.yaml", "mkdir .cadre; echo x > .cadre/config.yaml"],
    [".cadre/agents/main.md", "mkdir -p .cadre/agents; echo x > .cadre/agents/main.md"],
    [".cadre/agents/x.mjs", "mkdir -p .cadre/agents; echo x > .cadre/agents/x.mjs"],
    [".agents/recipes/x.yaml", "mkdir -p .agents/recipes; echo x > .agents/recipes/x.yaml"],
    [".claude/settings.json", "mkdir .claude; echo x > .claude/settings.json"],
    [".github/agents/a.agent.md", "mkdir -p .github/agents; echo x > .github/agents/a.agent.md"],
    [".mcp.json", "echo x > .mcp.json"],
    [".envrc", "echo x > .envrc"],
    [".vscode/tasks.json", "mkdir .vscode; echo x > .vscode/tasks.json"],
    [
      "deep/below/.vscode/tasks.json",
      "mkdir -p deep/below/.vscode; echo x > deep/below/.vscode/tasks.json",
    ],
    ["a prepared folder", "mkdir -p a/agents; echo x > a/agents/m.md; mv a .cadre"],
    ["a folder around a prepared one", "mkdir -p a/b; mv a/b a/.cadre; mv a c"],
    ["a symlink to one", "mkdir x; ln -s x .cadre"],
    ["a dangling symlink", "ln -s nowhere .claude"],
    ["a hard link to one", "mkdir x; echo x > x/y; ln x/y .mcp.json"],
    [
      "one in other letters",
      "mkdir .CADRE .Vscode; echo x > .CADRE/config.yaml; echo x > .Vscode/tasks.json",
    ],
    ["one without content", "mkdir -p sub/.cadre"],
    [".git/hooks/post-checkout", "mkdir -p .git/hooks; echo x > .git/hooks/post-checkout"],
    [".git/commondir", "mkdir -p .git; echo ../x > .git/commondir"],
    [".git/config.worktree", "mkdir -p .git; echo x > .git/config.worktree"],
    [".git/info/attributes", "mkdir -p .git/info; echo x > .git/info/attributes"],
    [
      ".git/objects/info/alternates",
      "mkdir -p .git/objects/info; echo x > .git/objects/info/alternates",
    ],
    [
      ".git/modules/a/b/config",
      "mkdir -p .git/modules/a/b; cd .git/modules/a/b; echo x > HEAD; echo x > config",
    ],
    [".git/worktrees/a/gitdir", "mkdir -p .git/worktrees/a; echo x > .git/worktrees/a/gitdir"],
    [
      "a harmful configuration of a new repository",
      "git init -q sub; git -C sub config core.fsmonitor ./x",
    ],
    ["a hook of a new repository", "git init -q sub; echo x > sub/.git/hooks/pre-commit"],
    [
      "a bare repository with a harmful configuration",
      "git init -q --bare sub; git -C sub config core.fsmonitor ./x",
    ],
    ["`.git` as a file", "mkdir sub; echo 'gitdir: ../x' > sub/.git"],
    ["a git log that is a symlink", "mkdir -p .git/logs; ln -s /etc/passwd .git/logs/HEAD"],
    [
      "a step of a rebase that executes",
      "mkdir -p .git/rebase-merge; echo 'exec x' > .git/rebase-merge/git-rebase-todo",
    ],
  ])("%s", async (_, command) => {
    const attacker = createAttacker({ mode });
    attacker.write("src/file");
    const { text, isError } = await attacker.run(command);
    expect(text).toContain("were undone");
    expect(text).toContain(join(attacker.outputFolder, "quarantine"));
    expect(isError).toBe(true);
    const again = await attacker.run("true");
    expect(again.text).toBe("(no output)");
    expect(existsSync(join(attacker.outputFolder, "quarantine"))).toBe(true);
  });

  test("a change of an existing control file, also in a sub-folder", async () => {
    const attacker = createAttacker({ mode });
    attacker.write(".cadre/config.yaml");
    attacker.write("deep/.claude/settings.json");
    attacker.write("deep/.claude/agents/a.md");
    symlinkSync("../shared", join(attacker.workspace, "deep/.claude/skills"));
    attacker.write("deep/shared/s/SKILL.md");
    const before = listAll(attacker.workspace);
    await attacker.run(
      "echo x > .cadre/config.yaml; rm -rf deep/.claude/agents; echo x > deep/.claude/agents/b.md; mv deep away; rm -rf .cadre; echo x >> deep/.claude/settings.json; ln -f deep/.claude/settings.json other; echo x > deep/shared/s/SKILL.md; mkdir deep/shared/t; echo x > deep/shared/t/SKILL.md; true",
    );
    const after = listAll(attacker.workspace).filter((path) => !/^(?:other|away)/.test(path));
    expect(after).toEqual(before);
    for (const path of [
      ".cadre/config.yaml",
      "deep/.claude/settings.json",
      "deep/.claude/agents/a.md",
      "deep/shared/s/SKILL.md",
    ]) {
      expect(attacker.read(path)).toBe("the user's");
    }
  });

  test("a control file that a concurrent command created", async () => {
    const attacker = createAttacker({ mode });
    const slow = attacker.run(
      "until test -e go; do sleep 0.02; done; mkdir -p .cadre; echo x > .cadre/late.yaml; touch made; until test -e end; do sleep 0.02; done",
    );
    const fast = await attacker.run("touch go; until test -e made; do sleep 0.02; done");
    expect(fast.text).toContain(".cadre (created");
    const between = await attacker.run("mkdir -p .vscode; echo x > .vscode/tasks.json; touch end");
    // The first command that ends undoes it and reports that.
    expect(`${between.text}${(await slow).text}`).toContain(".vscode (created");
    expect(listAll(attacker.workspace)).toEqual(["end", "go", "made"]);
  });

  test("its own content in a file that Cadre writes meanwhile", async () => {
    const attacker = createAttacker({ mode });
    const running = attacker.run(
      "until test -e .cadre/config.yaml; do sleep 0.02; done; echo x > .cadre/other.yaml",
    );
    const path = join(attacker.workspace, ".cadre/config.yaml");
    await attacker.call(createWriteTool(), { file_path: path, content: "permitted" });
    expect((await running).text).toContain("other.yaml");
    expect(listAll(attacker.workspace)).toEqual([".cadre", ".cadre/config.yaml"]);
    expect(readFileSync(path, "utf8")).toBe("permitted");
  });
});
