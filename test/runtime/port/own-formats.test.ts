import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CadreOptions } from "../../../src/index.ts";
import { isControlFile } from "../../../src/tool/control-file/is-control-file.ts";
import { agentCall, startModelServer } from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";

type Format = NonNullable<CadreOptions["formats"]>[number];

/** A format with a first line `NAME: DESCRIPTION` and the instructions below it. */
const notes: Format = {
  name: "notes",
  folders: [{ path: ".notes/agents", userPath: ".config/notes", isDeep: false }],
  extensions: [".note"],
  ignores: (fileName) => fileName.startsWith("draft"),
  parse({ path, text }) {
    const [first = "", ...rest] = text.split("\n");
    const [name = "", description = ""] = first.split(": ");
    if (name === "throw") throw new Error("a bug in the parser");
    if (description === "") return null;
    const systemPrompt = rest.join("\n").trim();
    const lines = { name: 1, description: 1, systemPrompt: 2 };
    const fixture = { path, line: 1, column: 1, severity: "error", fix: null } as const;
    const diagnostics = [{ ...fixture, code: "notes-bad", message: "It is marked as bad." }];
    return { name, description, systemPrompt, lines, ...(name === "bad" && { diagnostics }) };
  },
};

function writeAt(base: string, path: string, text: string): string {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
  return join(base, path);
}

describe("a format given to createCadre", () => {
  test("has its agents listed with their origin, and delegated to", async () => {
    const server = await startModelServer(({ agent, turn }) =>
      agent === "main" && turn === 0 ? [agentCall("scribe", "note")] : `${agent} is done`,
    );
    const project = createModelProject(server);
    const { folder, home } = project;
    const path = writeAt(folder, ".notes/agents/scribe.note", "scribe: Notes.\nYou are scribe.");
    writeAt(folder, ".notes/agents/draft.note", "draft: Not ready.\nDraft.");
    writeAt(folder, ".notes/agents/prose.note", "Just prose.");
    const own = writeAt(home, ".config/notes/mine.note", "mine: Mine.\nYou are mine.");
    const cadre = await project.open({ formats: [notes] });
    const { agents, diagnostics } = await cadre.agents();
    const found = agents.filter(({ source }) => source.format === "notes");
    expect(found).toMatchObject([
      {
        name: "scribe",
        description: "Notes.",
        systemPrompt: "You are scribe.",
        timeoutSeconds: 300,
        source: { format: "notes", scope: "project", path },
        lines: { name: 1 },
      },
      { name: "mine", source: { format: "notes", scope: "user", path: own } },
    ]);
    expect(diagnostics).toMatchObject([{ code: "prose-skipped" }]);
    const run = await cadre.spawn({ agent: "main", task: "go" });
    expect(await run.result()).toMatchObject({ status: "succeeded", runs: 2 });
    const [, child] = await cadre.tree(run.id);
    expect(child).toMatchObject({ agent: "scribe", result: { text: "scribe is done" } });
    expect(isControlFile(path, folder)).toBe(true);
    expect(isControlFile(join(folder, ".notes/other.note"), folder)).toBe(false);
  });

  test("reads files given by path, and is unknown to another Cadre", async () => {
    const project = createModelProject();
    const path = writeAt(project.folder, "loose/other.note", "other: Elsewhere.\nYou are other.");
    const cadre = await project.open({ formats: [notes], agentFiles: ["loose/other.note"] });
    const { agents } = await cadre.agents();
    expect(agents.find(({ name }) => name === "other")).toMatchObject({
      source: { format: "notes", scope: "library", path },
    });
    const without = await project.open({ agentFiles: ["loose/other.note"] });
    expect((await without.agents()).all.some(({ source }) => source.format === "notes")).toBe(
      false,
    );
  });

  test("makes errors of files of what it cannot read, and never fails the others", async () => {
    const project = createModelProject();
    const write = (name: string, text: string): string =>
      writeAt(project.folder, `.notes/agents/${name}.note`, text);
    write("good", "good: Good.\nYou are good.");
    write("throw", "throw: Throws.\nx");
    write("bad", "bad: Bad.\nx");
    write("name", "Not A Name: Wrong.\nx");
    const cadre = await project.open({ formats: [notes] });
    const { agents, all } = await cadre.agents();
    const isOwn = ({ source }: (typeof all)[number]): boolean => source.format === "notes";
    expect(agents.filter(isOwn).map(({ name }) => name)).toEqual(["good"]);
    const problems = all
      .filter(isOwn)
      .flatMap(({ diagnostics }) => diagnostics.map(({ code, message }) => [code, message]));
    expect(problems).toEqual([
      ["notes-bad", "It is marked as bad."],
      [
        "format-failed",
        'The format notes read no valid agent:\n- name: expected 1 to 64 of a-z, 0-9 and single hyphens, got "Not A Name"',
      ],
      ["format-failed", "The format notes failed on this file: a bug in the parser"],
    ]);
    await expect(cadre.spawn({ agent: "throw", task: "go" })).rejects.toMatchObject({
      code: "definition-invalid",
    });
  });

  test.each([
    ["a promise", async () => null, "expected an agent or null, got a promise"],
    ["a text", () => "agent", 'expected an agent or null, got "agent"'],
    [
      "a program",
      () => ({ name: "a", description: "b", run: () => "" }),
      "give a program in `agents`",
    ],
    [
      "unknown fields",
      () => ({ name: "a", description: "b", systemPrompt: "", toolz: [] }),
      "`toolz`",
    ],
    [
      "a wrong place",
      () => ({ name: "a", description: "b", systemPrompt: "", lines: { name: 0 } }),
      "lines.name: expected a whole number of at least 1, got 0",
    ],
  ])("refuses a parser that returns %s", async (_, parse, message) => {
    const project = createModelProject();
    writeAt(project.folder, ".notes/agents/a.note", "x");
    const formats = [{ ...notes, parse }] as unknown as CadreOptions["formats"] & object;
    const { all } = await (await project.open({ formats })).agents();
    const broken = all.find(({ source }) => source.format === "notes");
    expect(broken).toMatchObject({ name: "a", diagnostics: [{ code: "format-failed" }] });
    expect(broken?.diagnostics[0]?.message).toContain(message);
  });
});
