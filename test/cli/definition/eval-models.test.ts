import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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
});
