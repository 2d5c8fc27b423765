import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ServerTurn } from "../../fixtures/model-server.ts";
import {
  createPipeline,
  type PipelineGiven,
  type PipelineProject,
  promptFileOf as prompt,
} from "../../fixtures/pipeline/pipeline-project.ts";

const files = {
  "src/parser.ts": "export function parse(): void {}\n",
  "src/lexer.ts": "export function lex(): void {}\n",
  "src/other.ts": "export const other = 1;\n",
  "docs/guide.md": "How to write parsers.\n",
  "docs/cooking.md": "How to cook.\n",
};

const isChoosing = ({ system }: ServerTurn): boolean => system.includes("You choose the files");
const isDescribing = ({ system }: ServerTurn): boolean => system.includes("You describe one file");

/** Creates a pipeline whose model chooses `chosen` and describes files by their first line. */
async function create(
  params: object,
  chosen: Record<string, unknown>,
  given: PipelineGiven = {},
): Promise<PipelineProject> {
  return await createPipeline(prompt(params), {
    files,
    script(turn) {
      if (isChoosing(turn)) return [{ tool: "final_output", input: chosen }];
      if (!isDescribing(turn)) return "done";
      const [, path, line] = /^The file (\S+):\n\n(.*)/.exec(turn.task) ?? [];
      const summary = `${path} has: ${line}`;
      return [{ tool: "final_output", input: { summary, when_to_use: "often" } }];
    },
    ...given,
  });
}

const coderOf = ({ server }: PipelineProject): string =>
  server.turns.find((turn) => !isChoosing(turn) && !isDescribing(turn))?.task ?? "";

describe("auto-context", () => {
  test("gives the coder the files that the model chose from the structure, and reports them to later agents", async () => {
    const params = {
      structure_globs: ["src/*.ts"],
      sub_agents: [
        { name: "auto-context", options: { model: "mock:small" } },
        { name: "after", on: "auto-context::end" },
      ],
    };
    const chosen = {
      context_files: ["src/lexer.ts", "src/parser.ts", "/etc/passwd"],
      reason: "both",
    };
    const pipeline = await create(params, chosen, { files, agents: { after: () => null } });
    expect(await pipeline.run()).toMatchObject({ status: "succeeded" });
    const [choosing] = pipeline.server.turns;
    expect(choosing?.model).toBe("small");
    expect(choosing?.task).toBe(
      "Files:\n\n- src/lexer.ts\n- src/other.ts\n- src/parser.ts\n\nThe instruction:\n\nFix the parser.",
    );
    const coder = coderOf(pipeline);
    expect(coder).toContain("export function lex");
    expect(coder).not.toContain("export const other");
    expect(pipeline.calls[0]).toMatchObject({
      event: "auto-context::end",
      coder_params: { context_globs: ["src/lexer.ts", "src/parser.ts"] },
      sub_agents_prev: [
        { agent_result: { context_files: ["src/lexer.ts", "src/parser.ts"], reason: "both" } },
      ],
    });
  });

  test("reduces the context, or adds files of the structure to it, and reduces knowledge unless that is turned off", async () => {
    const params = (options: object) => ({
      context_globs: ["src/{lexer,other}.ts"],
      structure_globs: ["src/*.ts"],
      knowledge_globs: ["docs/*.md", "own@pack/*.md"],
      sub_agents: [
        { name: "auto-context", options },
        { name: "look", on: "auto-context::end" },
      ],
    });
    const chosen = {
      context_files: ["src/lexer.ts", "src/parser.ts"],
      knowledge_files: ["docs/guide.md"],
    };
    const execute = async (options: object): Promise<unknown> => {
      const given = { files, agents: { look: () => null } };
      const pipeline = await create(params(options), chosen, given);
      await pipeline.run();
      const { context_globs, knowledge_globs } = pipeline.calls[0]?.coder_params ?? {};
      return [context_globs, knowledge_globs];
    };
    expect(await execute({})).toEqual([["src/lexer.ts"], ["docs/guide.md", "own@pack/*.md"]]);
    expect(await execute({ mode: "expand", knowledge: false })).toEqual([
      ["src/{lexer,other}.ts", "src/lexer.ts", "src/parser.ts"],
      ["docs/*.md", "own@pack/*.md"],
    ]);
  });

  test("reads globs relative to base_dir, and returns them relative to it", async () => {
    const params = {
      base_dir: "src",
      context_globs: ["*.ts"],
      sub_agents: ["code-map", { name: "auto-context", on: "code-map::end" }],
    };
    const pipeline = await create(params, { context_files: ["src/lexer.ts"] });
    expect(await pipeline.run()).toMatchObject({ status: "succeeded", warnings: [] });
    expect(pipeline.server.turns.filter(isDescribing)).toHaveLength(3);
    expect(coderOf(pipeline)).toContain('<file path="src/lexer.ts"');
    expect(coderOf(pipeline)).not.toContain('<file path="src/other.ts"');
  });

  test("runs by the parameter auto_context alone, with its model, and reads the helper files", async () => {
    const params = {
      context_globs: ["src/*.ts"],
      auto_context: { model: "mock:small", helper_globs: ["docs/guide.md"] },
      sub_agents: ["after"],
    };
    const pipeline = await create(
      params,
      { context_files: [] },
      { files, agents: { after: () => null } },
    );
    const result = await pipeline.run();
    expect(result.output).toMatchObject({
      sub_agents: [{ config: { name: "auto-context" } }, { config: { name: "after" } }],
    });
    const [choosing] = pipeline.server.turns;
    expect(choosing?.model).toBe("small");
    expect(choosing?.task).toContain(
      "The file docs/guide.md, which helps to choose:\n\nHow to write parsers.\n\n\nThe instruction:",
    );
  });

  test("fails for an unknown mode, before it calls the model", async () => {
    const params = { sub_agents: [{ name: "auto-context", mode: "shrink" }] };
    const pipeline = await create(params, {});
    expect((await pipeline.run()).failure?.message).toContain(
      'Expected `mode` to be reduce or expand; got "shrink".',
    );
    expect(pipeline.server.turns).toEqual([]);
  });

  test("is an ordinary agent outside of pipelines, and is replaced by a definition of its name", async () => {
    const { cadre } = await create({}, { context_files: ["src/lexer.ts"] });
    const run = await cadre.spawn({ agent: "auto-context", task: "Fix the lexer." });
    expect(await run.result()).toMatchObject({ text: "src/lexer.ts", status: "succeeded" });
    const { agents } = await cadre.agents();
    const builtin = agents.filter(({ source }) => source.scope === "builtin");
    expect(builtin.map(({ name }) => name)).toEqual(["main", "auto-context", "code-map"]);
    const mine = await create(
      { sub_agents: ["auto-context"] },
      {},
      {
        files,
        agents: { "auto-context": () => ({ coder_prompt: "Mine." }) },
      },
    );
    await mine.run();
    expect(mine.server.turns.map(({ task }) => task)).toEqual(["Mine."]);
  });
});

describe("code-map", () => {
  const params = {
    structure_globs: ["src/*.ts"],
    sub_agents: ["code-map", { name: "auto-context", on: "code-map::end" }],
  };

  test("describes each unchanged file once, for the coder and for auto-context", async () => {
    const pipeline = await create(params, { context_files: ["src/lexer.ts"] });
    const { project, server, run } = pipeline;
    const first = await run();
    expect(first).toMatchObject({ status: "succeeded", warnings: [] });
    expect(server.turns.filter(isDescribing)).toHaveLength(3);
    const line =
      "- src/lexer.ts\n  src/lexer.ts has: export function lex(): void {}\n  When: often";
    expect(coderOf(pipeline)).toContain(line);
    expect(server.turns.find(isChoosing)?.task).toContain(line);
    server.turns.length = 0;
    project.write("src/lexer.ts", "export function lexAll(): void {}\n");
    project.write("src/copy.ts", files["src/parser.ts"]);
    await run();
    const described = server.turns.filter(isDescribing);
    expect(described.map(({ task }) => task.split("\n")[0])).toEqual(["The file src/lexer.ts:"]);
    expect(coderOf(pipeline)).toContain("src/lexer.ts has: export function lexAll");
    expect(coderOf(pipeline)).toContain("- src/copy.ts\n  src/parser.ts has:");
  });

  test("keeps its notes in the state folder, repairs damaged ones, and reports what it left out", async () => {
    const options = { options: { max_files: 3 } };
    const pipeline = await create(
      { ...params, sub_agents: [{ name: "code-map", ...options }] },
      {},
      { files: { ...files, "src/empty.ts": "" } },
    );
    const { cadre, server, run } = pipeline;
    const result = await run();
    const [, child] = await cadre.tree(result.runId);
    const logs: unknown[] = [];
    for await (const event of (await cadre.find(child?.id ?? "")).events()) {
      if (event.type === "step-finished" && event.key.startsWith("log/")) logs.push(event.value);
    }
    expect(logs).toEqual([
      "1 of 4 files were left out: at most 3 are mapped (`max_files`).",
      "src/empty.ts is not in the map, because it is empty, binary or larger than 256 KiB.",
      "2 files in the map, 2 of them newly described.",
    ]);
    const folder = join(cadre.stateFolder, "agents", "code-map");
    const kept = readFileSync(join(folder, "summaries.json"), "utf8");
    expect(Object.keys(JSON.parse(kept) as object)).toHaveLength(2);
    writeFileSync(join(folder, "summaries.json"), kept.slice(0, 40));
    server.turns.length = 0;
    await run();
    expect(server.turns.filter(isDescribing)).toHaveLength(2);
  });

  test("keeps its descriptions when another file cannot be described", async () => {
    const pipeline = await create(
      params,
      {},
      {
        files,
        script: (turn) =>
          turn.task.includes("other")
            ? [{ tool: "final_output", input: { nothing: 1 } }]
            : [{ tool: "final_output", input: { summary: "x", when_to_use: "y" } }],
      },
    );
    const { failure } = await pipeline.run();
    expect(failure?.message).toMatch(
      /^Sub-agent \[code-map\] failed: Agent code-map returned no output/,
    );
    pipeline.server.turns.length = 0;
    await pipeline.run();
    const asked = new Set(pipeline.server.turns.map(({ task }) => task.split("\n")[0]));
    expect(asked).toEqual(new Set(["The file src/other.ts:"]));
  });
});

test("the built-in agents use only the public API", async () => {
  const library: object = await import("../../../src/index.ts");
  const folder = join(import.meta.dirname, "../../../src/pipeline/agent");
  for (const file of [
    "auto-context.ts",
    "code-map.ts",
    "file-listing.ts",
    "file-map.ts",
    "options.ts",
    "read-text.ts",
    "summaries.ts",
  ]) {
    const text = readFileSync(join(folder, file), "utf8");
    const imports = [...text.matchAll(/^import (type )?\{([^}]*)\} from "(\.\.\/[^"]+)";$/gms)];
    const values = imports.flatMap(([, isType, names = ""]) =>
      isType === undefined ? names.split(",").map((name) => name.trim()) : [],
    );
    const own = values.filter((name) => name !== "" && !name.startsWith("type "));
    expect(own.filter((name) => !Object.hasOwn(library, name))).toEqual([]);
  }
});
