import { expect, test } from "vitest";
import { toPipelineOutput } from "./pipeline-output.ts";

const config = { name: "a", enabled: true, on: ["end"] };
const item = { config, event: "end", agent_result: [1], success: true, error: null };

function outputOf(text: string, count: number): ReturnType<typeof toPipelineOutput> {
  const response = { text, content_extruded: text, files_changed: ["a.ts"], input: 1 };
  const responses = Array.from({ length: count }, () => response);
  return toPipelineOutput({ responses, files_changed: ["a.ts"], history: [item] });
}

test("the output of a pipeline has its answers, its files, and the history of its sub-agents", () => {
  const { output, warnings } = outputOf("done", 2);
  expect(output).toMatchObject({ responses: [{ text: "done" }, {}], sub_agents: [item] });
  expect(warnings).toEqual([]);
});

test("very long answers of a pipeline are cut, with a warning", () => {
  const { output, warnings } = outputOf("\u0001".repeat(2000), 1000);
  const most = Math.floor((8 * 1024 * 1024) / 8 / 1000);
  const text = "\u0001".repeat(most);
  expect(output).toMatchObject({ sub_agents: [{ ...item, agent_result: null }] });
  const { responses } = output as { responses: unknown[] };
  expect(responses).toHaveLength(1000);
  expect(responses[0]).toEqual({ text, content_extruded: text, files_changed: ["a.ts"], input: 1 });
  // The maximum output of a program.
  expect(JSON.stringify(output).length).toBeLessThan(16 * 1024 * 1024);
  expect(warnings).toEqual([expect.stringContaining(`cut to ${most} characters`)]);
});
