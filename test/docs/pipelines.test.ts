import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { maxFileBytes } from "../../src/pipeline/files/read-files.ts";
import { maxResults } from "../../src/pipeline/sub-agent/sub-agent-run.ts";
import { caps } from "../../src/pipeline/event/event-chain.ts";
import { parsePrompt } from "../../src/pipeline/prompt-file/prompt-file.ts";
import { knownParameters } from "../../src/pipeline/prompt-file/parameter.ts";
import {
  subAgentInputSchema,
  subAgentOutputSchema,
} from "../../src/pipeline/sub-agent/sub-agent-schema.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/pipelines.md"), "utf8");

test("docs/pipelines.md shows a prompt file without a finding", () => {
  const [, text = ""] = /^````markdown\n([\s\S]*?)^````$/m.exec(page) ?? [];
  expect(parsePrompt(text, "/work/prompt.md")).toMatchObject({
    params: { model: "sonnet", sub_agents: ["auto-context", { name: "reviewer" }] },
    instruction: "Make the parser report line numbers.",
    diagnostics: [],
  });
});

test("docs/pipelines.md names every parameter, and every field of the contract", () => {
  const fields = [subAgentInputSchema, subAgentOutputSchema].flatMap((schema) =>
    Object.keys(schema["properties"] as object),
  );
  const missing = [...knownParameters, ...fields].filter((name) => !page.includes(`\`${name}\``));
  expect(missing).toEqual([]);
});

test("docs/pipelines.md states the limits of the code", () => {
  expect(page).toContain(
    `${caps.runs} runs of agents, ${caps.emitted.toLocaleString("en")} emitted events, ${caps.inRow} times the same`,
  );
  expect(page).toContain(`${maxFileBytes / 1024} KiB`);
  expect(page.replaceAll(/\s+/g, " ")).toContain(`${maxResults / 2 ** 20} MiB of results`);
});
