import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { EvalReport } from "../../../src/host.ts";
import { cadre } from "../command-line.ts";
import { createEvalProject } from "./eval-project.ts";

describe("the models of an eval", () => {
  it.each([
    ["task: y", ["--model", "sonet"], 'got "sonet". Did you mean `sonnet`?'],
    ["task: y", ["--model", "anthropic:haiku"], "ANTHROPIC_API_KEY"],
    ["task: y, models: ['scripted:none.yaml']", [], "none.yaml"],
    ["task: y, agent: keyless", [], "OPENAI_API_KEY"],
    ["task: y, judgeModel: opnai:x, checks: [{ judge: z }]", [], "Did you mean `openai:x`?"],
    [
      "task: y, delegation: stop, checks: [{ judge: z, model: haiku }]",
      ["--record", "kept"],
      "ANTHROPIC_API_KEY",
    ],
  ])(
    "refuses a model that cannot be used, once and before anything starts: %s %j",
    async (fields, words, problem) => {
      const fixture = createEvalProject(`cases: [{ name: one, ${fields} }]`, {
        ".cadre/agents/keyless.md":
          "---\nname: keyless\ndescription: helps\nmodel: openai:gpt\n---\nYou help.\n",
      });
      const { code, stdout, stderr } = await cadre(fixture, [
        "eval",
        "evals.yaml",
        "--trust",
        ...words,
      ]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(problem);
      expect(stderr).not.toContain("trial");
      expect((await cadre(fixture, ["runs", "--json"])).stdout).toContain('"runs": []');
      expect(existsSync(join(fixture.path, "kept"))).toBe(false);
    },
  );

  it("refuses to begin without a model", async () => {
    const { environment, ...fixture } = createEvalProject("cases: [{ name: one, task: y }]");
    const { CADRE_MODEL: _, ...others } = environment;
    const words = ["eval", "evals.yaml"];
    const { code, stderr } = await cadre({ ...fixture, environment: others }, words);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("No model to use"),
    });
    expect(stderr).not.toContain("trial");
  });

  it("needs no model to replay recordings", async () => {
    const fixture = createEvalProject("cases: [{ name: one, task: write }]");
    const words = ["eval", "evals.yaml", "--model", "scripted:script.yaml"];
    expect(await cadre(fixture, [...words, "--record", "kept"])).toMatchObject({ code: 0 });
    rmSync(join(fixture.path, "script.yaml"));
    expect(await cadre(fixture, [...words, "--replay", "kept"])).toMatchObject({ code: 0 });
  });

  it("refuses a folder to replay that has no recording, once, and names the option that makes it", async () => {
    const fixture = createEvalProject("cases: [{ name: one, task: y }, { name: two, task: y }]");
    const { code, stderr } = await cadre(fixture, ["eval", "evals.yaml", "--replay", "kept"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^cadre: Expected a recording at .*\/kept\/\w+\.ndjson, but nothing is there\. Make it with .*`--record .*\/kept`\.\n$/,
    );
  });

  it("reports the trials without a recording as errors when others have one", async () => {
    const fixture = createEvalProject(
      "cases: [{ name: one, task: write }, { name: two, task: write }]",
    );
    const words = ["eval", "evals.yaml", "--json"];
    const record = [...words, "--filter", "two", "--record", "kept"];
    expect(await cadre(fixture, record)).toMatchObject({ code: 0 });
    const { code, stdout } = await cadre(fixture, [...words, "--replay", "kept"]);
    const { trials } = JSON.parse(stdout) as EvalReport;
    expect(code).toBe(1);
    expect(trials).toMatchObject([
      { outcome: "error", reasons: [expect.stringContaining("Expected a recording at ")] },
      { outcome: "pass" },
    ]);
  });

  it("refuses a folder for recordings that is a file", async () => {
    const fixture = createEvalProject("cases: [{ name: one, task: write }]");
    const words = ["eval", "evals.yaml", "--record", "script.yaml"];
    const { code, stderr } = await cadre(fixture, words);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^cadre: Expected a folder for recordings that exists or can be created; got .*script\.yaml/,
    );
  });

  it("uses a fallback of the configuration for a model without a key, as a run does", async () => {
    const fixture = createEvalProject("cases: [{ name: one, task: write, models: [haiku] }]", {
      ".cadre/config.yaml": "fallbacks: ['scripted:script.yaml']",
    });
    const words = ["eval", "evals.yaml", "--trust"];
    expect(await cadre(fixture, words)).toMatchObject({ code: 0 });
    fixture.write(".cadre/config.yaml", "fallbacks: ['openai:gpt']");
    const { code, stderr } = await cadre(fixture, words);
    expect(code).toBe(2);
    expect(stderr).toContain("ANTHROPIC_API_KEY");
    expect(stderr).not.toContain("trial");
  });
});
