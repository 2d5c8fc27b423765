// The prompt of a run: its instructions and its first message.

import { readFileSync } from "node:fs";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { hasTaskPlaceholder, injectTask } from "../../agent/definition/inject-task.ts";
import type { JsonObject } from "../../source/json.ts";
import { describeEnvironment } from "./environment.ts";
import { readEffectiveContext } from "./effective-context.ts";
import { preloadSkills } from "./preload-skills.ts";
import { renderContext } from "./render-context.ts";
import type { RunContext } from "../run-context/run-context.ts";

/** Prepares the system prompt. It is recorded, so that a resume on another day or branch uses the same one. */
export async function prepareInstructions(run: RunContext, task: string): Promise<string> {
  const { spec, definition, registry, steps, prefix } = run;
  const skills = await preloadSkills(run);
  const step = { key: `${prefix}instructions`, kind: "note" } as const;
  return await steps.do(step, async () => {
    const environment = await describeEnvironment(spec.workspace, new Date());
    const context = renderContext(await readEffectiveContext(registry, spec));
    // Without a placeholder the task is the first message, so that the instructions are the same for every task of an agent and
    // providers can cache them.
    const body = hasTaskPlaceholder(definition.systemPrompt)
      ? injectTask(definition.systemPrompt, task)
      : definition.systemPrompt;
    const parts = [
      body,
      ...skills,
      environment,
      ...(context === "" ? [] : [context]),
      ...(spec.summary === true ? [readEnginePrompt("summary")] : []),
      ...(spec.outputSchema === undefined ? [] : [askForOutput(definition, spec.outputSchema)]),
    ];
    return { value: parts.join("\n\n").trim() };
  });
}

function askForOutput({ runner }: AgentDefinition, schema: JsonObject): string {
  if (runner === undefined) return readEnginePrompt("final-output");
  return `${readEnginePrompt("runner-output")}\n\n\`\`\`json\n${JSON.stringify(schema, null, 2)}\n\`\`\``;
}

/** Reads a prompt that lies beside this file. */
export function readEnginePrompt(name: string): string {
  return readFileSync(new URL(`${name}.md`, import.meta.url), "utf8").trim();
}
