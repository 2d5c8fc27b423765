import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../../src/cli/program.ts";
import { agentFile, cadre, createProject, root } from "../command-line.ts";

const program = `export default { name: "program", description: "A program.", run: () => "from code" };\n`;

describe.concurrent("defining agents", () => {
  it("init writes files without findings, and keeps existing ones", async () => {
    const project = createProject({ ".cadre/agents/test-writer.md": agentFile("test-writer") });
    const { stdout } = await cadre(project, ["init"]);
    expect(stdout).toContain("wrote .cadre/agents/code-reviewer.md\n");
    expect(stdout).toContain("wrote .cadre/config.yaml\n");
    expect(stdout).toContain("kept  .cadre/agents/test-writer.md");
    expect(stdout).toContain("Until you type `cadre trust`");
    const check = await cadre(project, ["check"]);
    expect(check.stdout).toContain("0 errors, 0 warnings\n");
    expect(check.code).toBe(0);
  });

  it("lists agents with their findings, and cleans names that would steer the terminal", async () => {
    const project = createProject({
      ".cadre/agents/good.md": agentFile("good"),
      ".claude/agents/evil.md": '---\nname: "e\\e[31mvil"\ndescription: "x\\e]0;t\\a y"\n---\nz\n',
    });
    const { code, stdout, stderr } = await cadre(project, ["agents"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\ngood +cadre +project +- +all +\S+good\.md: Does good work\.\n/);
    expect(stdout).toMatch(/\nmain +builtin/);
    expect(/[\p{Cc}]/u.test((stdout + stderr).replaceAll("\n", ""))).toBe(false);
    const json = await cadre(project, ["agents", "--json"]);
    const { agents } = JSON.parse(json.stdout) as { agents: { name: string; isUsable: boolean }[] };
    expect(agents.find(({ name }) => name === "good")?.isUsable).toBe(true);
  });

  it("shows where each value of an agent comes from", async () => {
    const project = createProject({ ".cadre/agents/good.md": agentFile("good", "Be good.") });
    const { stdout } = await cadre(project, ["agents", "show", "good"]);
    expect(stdout).toMatch(/\ndescription +\S+good\.md:3 +Does good work\.\n/);
    expect(stdout).toMatch(/\ntools +default +all\n/);
    expect(stdout).toContain("Be good.");
    const json = await cadre(project, ["agents", "show", "good", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ agent: { name: "good" } });
    const unknown = await cadre(project, ["agents", "show", "goood"]);
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toContain(
      "Did you mean `good`? Available: good, main, auto-context, code-map.",
    );
  });

  it("check exits with 1 at an error, and counts the findings", async () => {
    const project = createProject({ ".cadre/agents/bad.md": "---\nname: other\n---\nx\n" });
    const { code, stdout } = await cadre(project, ["check"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/bad\.md:2:\d+ error name-mismatch: /);
    expect(stdout).toMatch(/\n\d errors, 0 warnings\n$/);
    const json = await cadre(project, ["check", ".cadre/agents/bad.md", "--json"]);
    expect(json.code).toBe(1);
    expect((JSON.parse(json.stdout) as { errors: number }).errors).toBeGreaterThan(0);
  });

  it("check reports problems of recipes and of configured extensions too", async () => {
    const project = createProject({
      ".cadre/recipes/bad.yaml": "title: x\ndescription: y\nprompt: '{{ z }}'\n",
      ".cadre/agents/a.md": `---\nname: a\ndescription: A.\nextensions: [files, fils]\n---\nx\n`,
      ".cadre/config.yaml":
        "extensions:\n  files: { command: x, environmentKeys: [NOT_SET_HERE] }\n",
      "package.json": '{ "name": "no recipe" }',
    });
    const { code, stdout } = await cadre(project, ["check", "--trust"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/bad\.yaml:3:13 error parameter-undeclared: /);
    expect(stdout).toMatch(/config\.yaml:2:1 warning extension-unusable: .*NOT_SET_HERE/);
    expect(stdout).toMatch(/a\.md:4:1 warning extension-unknown: .*Did you mean `files`/);
    expect(stdout).toMatch(/\n1 error, 2 warnings\n$/);
    for (const path of [".cadre/recipes", ".cadre/recipes/bad.yaml"]) {
      const some = await cadre(project, ["check", path]);
      expect(some.stdout).toMatch(/bad\.yaml:3:13 error .*\n1 error, 0 warnings\n$/);
    }
    for (const path of [".", ".cadre"]) {
      const { stdout: all } = await cadre(project, ["check", path, "--trust"]);
      expect(all).toMatch(/bad\.yaml:3:13 error .*\n.*a\.md:4:1 warning extension-unknown/);
      expect(all).toMatch(/\n1 error, 1 warning\n$/);
    }
  });

  it("lists recipes and the extensions that are configured with the agents", async () => {
    const project = createProject({
      ".goose/recipes/greet.yaml": "title: Greet\ndescription: Greets.\nprompt: hello\n",
    });
    const config =
      "extensions: { hub: { url: 'https://hub.test/mcp', headers: { key: s3cret } } }\n";
    mkdirSync(join(project.home, ".cadre"));
    writeFileSync(join(project.home, ".cadre/config.yaml"), config);
    const { stdout } = await cadre(project, ["agents"]);
    expect(stdout).toMatch(/\ngreet +recipe +project +- +all +\S+greet\.yaml: Greets\.\n/);
    expect(stdout).toMatch(/\nhub +streamable_http +https:\/\/hub\.test\/mcp +\S+config\.yaml:1\n/);
    const json = await cadre(project, ["agents", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ extensions: [{ name: "hub" }] });
    expect(json.stdout).not.toContain("s3cret");
  });

  it("converts an agent, lists the losses, and never replaces a file", async () => {
    const project = createProject({
      ".claude/agents/reviewer.md":
        "---\nname: reviewer\ndescription: Reviews.\ntools: Read, Grep\nskills: [x]\n---\nReview.\n",
    });
    const shown = await cadre(project, ["convert", "reviewer", "--to", "gemini"]);
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.stdout).toMatch(/^---\nname: reviewer\n[^]*- read_file\n[^]*\n---\n\nReview\.\n$/);
    expect(shown.stderr).toBe("lost in gemini: skills: the format has no such field\n");
    const file = ".claude/agents/reviewer.md";
    const written = await cadre(project, ["convert", file, "--to", "codex", "--write", "--json"]);
    expect(JSON.parse(written.stdout)).toMatchObject({
      format: "codex",
      written: join(project.path, ".codex/agents/reviewer.toml"),
    });
    const again = await cadre(project, ["convert", file, "--to", "codex", "--write"]);
    expect(again).toMatchObject({ code: 2, stdout: "" });
    expect(again.stderr).toContain("exists and was kept");
    const check = await cadre(project, ["check", ".codex/agents/reviewer.toml"]);
    expect(check.stdout).toContain("0 errors, 0 warnings\n");
  });

  it("converts only agents, and only to known formats", async () => {
    const project = createProject({
      ".cadre/agents/bad.md": "---\nname: bad\n---\nx\n",
      "recipe.yaml": "title: x\n",
      "notes.md": "# Notes\n",
    });
    const refusal = async (...words: string[]): Promise<string> => {
      const { code, stdout, stderr } = await cadre(project, ["convert", ...words]);
      expect({ code, stdout }, words.join(" ")).toEqual({ code: 2, stdout: "" });
      return stderr;
    };
    expect(await refusal("main", "--to", "opencde")).toContain("Did you mean opencode?");
    expect(await refusal("main", "--to", "recipe")).toContain("cannot be converted to recipe");
    expect(await refusal("nobody", "--to", "claude")).toContain("Unknown agent");
    expect(await refusal("bad", "--to", "claude")).toContain("description-missing");
    expect(await refusal("recipe.yaml", "--to", "claude")).toContain("Recipes");
    expect(await refusal("notes.md", "--to", "claude")).toContain("frontmatter");
  });

  it("runs a program only in a trusted folder", async () => {
    const project = createProject({ ".cadre/agents/program.mjs": program });
    const refused = await cadre(project, ["run", "program", "x"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("cadre trust");
    const once = await cadre(project, ["run", "program", "x", "--trust"]);
    expect(once.stdout).toBe("from code\n");
    const none = await cadre(project, ["trust", "--list"]);
    expect(none).toEqual({ code: 0, stdout: "", stderr: "No folder is trusted.\n" });
    const trusted = await cadre(project, ["trust"]);
    expect(trusted.stdout).toContain(`Trusted: ${project.path}.`);
    expect((await cadre(project, ["init"])).stdout).not.toContain("Until you type");
    const named = [
      "program agents",
      "Lua",
      "MCP servers",
      "runners",
      "checks",
      "models",
      "sandbox",
    ];
    for (const name of named) {
      expect(trusted.stdout).toContain(name);
      expect(refused.stderr).toContain(name);
    }
    expect((await cadre(project, ["trust", "--list"])).stdout).toBe(`${project.path}\n`);
    expect((await cadre(project, ["run", "program", "x"])).stdout).toBe("from code\n");
  });

  it("shows every setting with its origin", async () => {
    const project = createProject({ ".cadre/config.yaml": "limits:\n  depth: 2\n" });
    const { stdout } = await cadre(project, ["config"]);
    expect(stdout).toMatch(/\nlimits\.depth +\S+config\.yaml:2 +2\n/);
    expect(stdout).toMatch(/\nmodel +environment CADRE_MODEL +"scripted:script\.yaml"\n/);
    const json = await cadre(project, ["config", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      settings: { "limits.depth": { value: 2 } },
      stateFolder: join(project.path, "state"),
    });
    project.write(".cadre/config.yaml", "limits: many\n");
    expect((await cadre(project, ["config"])).code).toBe(2);
  });
});

describe.concurrent("the command itself", () => {
  it("shows help alone, its version, and an example for every command", async () => {
    const project = createProject();
    const help = await cadre(project, []);
    expect(help.code).toBe(0);
    const names = [...help.stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name = ""]) => name);
    expect(names).toContain("prune");
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      version: string;
    };
    expect((await cadre(project, ["--version"])).stdout).toBe(`${version}\n`);
    for (const name of names) {
      const { commands } = await createProgram([name], () => {});
      let shown = "";
      const command = commands.find((candidate) => candidate.name() === name);
      command?.configureOutput({ writeOut: (text) => (shown += text) }).outputHelp();
      expect(shown).toMatch(/\nExamples?:\n {2}cadre /);
      if (name === "prune") expect(shown).toContain("(default: 30d)");
    }
  });
});
