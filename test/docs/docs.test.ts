import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseNative } from "../../src/agent/native/native.ts";
import { readScriptedModel } from "../../src/model/script/script-file.ts";
import { readLayer } from "../../src/config/read-layer.ts";
import { createProgram } from "../../src/cli/program.ts";
import { readGraph } from "../../src/delegate/graph/read-graph.ts";
import { hasError } from "../../src/source/diagnostic.ts";

const root = resolve(import.meta.dirname, "..", "..");
const pages = [
  "README.md",
  "AGENTS.md",
  "CONTRIBUTING.md",
  ...globSync("docs/**/*.md", { cwd: root }),
];
const folder = mkdtempSync(join(tmpdir(), "cadre-docs-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function read(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

/** Returns the fenced blocks of a language. */
function blocks(page: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm");
  return [...read(page).matchAll(fence)].map(([, text]) => text ?? "");
}

/** Returns each capture of the group of `pattern`. */
function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name]) => name ?? "");
}

function isGraph(text: string): boolean {
  return /^runs:/m.test(text);
}

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("the documentation", () => {
  test.each(pages)("%s links only to what exists", (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) => target);
    const missing = links.filter(
      (target) => !existsSync(resolve(root, dirname(page), target ?? "")),
    );
    expect(missing).toEqual([]);
  });

  test.each(pages)("%s names only files of the source that exist", (page) => {
    const named = [...read(page).matchAll(/`((?:src|test|bench|scripts|examples)\/[\w./-]+)`/g)];
    const missing = named
      .map(([, path]) => path ?? "")
      .filter((path) => !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  });

  test.each(
    ["command", "delegation", "extensions", "models", "tools"].map((page) => `docs/${page}.md`),
  )("%s shows configuration that is valid", async (page) => {
    const shown = blocks(page, "yaml").filter(
      (text) => !text.startsWith("scripts:") && !isGraph(text),
    );
    expect(shown).not.toEqual([]);
    for (const text of shown) {
      const { diagnostics } = await readLayer(write("config.yaml", text));
      expect(diagnostics).toEqual([]);
    }
  });

  test("README.md shows an agent that loads without a finding", () => {
    const [text = ""] = blocks("README.md", "markdown");
    const path = write("code-reviewer.md", text);
    const agent = parseNative({ path, text, scope: "project" });
    expect(agent).toMatchObject({ name: "code-reviewer", tools: ["Read", "Grep", "Glob"] });
    expect(hasError(agent.diagnostics)).toBe(false);
  });

  test("docs/models.md shows a script that works", async () => {
    const shown = blocks("docs/models.md", "yaml");
    const script = shown.find((text) => text.startsWith("scripts:")) ?? "";
    await expect(readScriptedModel(write("script.yaml", script))).resolves.toBeDefined();
  });

  test("docs/delegation.md shows a graph that is valid", async () => {
    const text = blocks("docs/delegation.md", "yaml").find(isGraph) ?? "";
    const { graph, diagnostics } = await readGraph(write("graph.yaml", text));
    expect(diagnostics).toEqual([]);
    expect(graph?.runs).toHaveLength(4);
  });

  test("README.md names only npm scripts that exist", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = namesIn(pages.map(read).join("\n"), /npm run (?:-s )?([\w:]+)/g);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  test("docs/command.md lists exactly the existing commands", async () => {
    const rows = read("docs/command.md").match(/^\| .*$/gm) ?? [];
    const listed = namesIn(rows.join("\n"), /`cadre (\w+)/g);
    const program = await createProgram([], () => undefined);
    const names = program
      .createHelp()
      .visibleCommands(program)
      .map((command) => command.name());
    expect(new Set([...listed, "help"])).toEqual(new Set(names));
  });

  test("AGENTS.md has fewer than 80 lines", () => {
    expect(read("AGENTS.md").split("\n").length).toBeLessThan(80);
  });
});
