import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonValue } from "../../src/host.ts";
import { createModelProject } from "../fixtures/project.ts";
import { inRecipes } from "../fixtures/delegation/subagent-calls.ts";
import { leadOf, readTurns, type RunCase, type RunFacts, startModel, usual } from "./run-case.ts";
import { runCases } from "./run-cases.ts";

test.each(runCases)("a recipe runs as in goose: $name", async (one) => {
  expect(await run(one)).toEqual({ ...usual, ...one.goose, ...one.cadre });
});

async function run(one: RunCase): Promise<RunFacts> {
  const model = await startModel(one, (saying) =>
    "answer" in saying
      ? { tool: "final_output", input: saying.answer }
      : {
          tool: "Subagent",
          input: { subrecipe: saying.subRecipe, parameters: saying.parameters ?? {} },
        },
  );
  const project = createModelProject(model);
  const files = { ...one.files, "t.yaml": leadOf(one) };
  for (const [name, text] of Object.entries(files)) project.write(inRecipes(name), text);
  const cadre = await project.open({ trust: true });
  const { status, output = null } = await cadre.run<JsonValue>({ agent: "t" });
  const log = join(project.folder, "log");
  return {
    isSuccess: status === "succeeded",
    ...readTurns(one, model),
    output,
    log: existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [],
  };
}
