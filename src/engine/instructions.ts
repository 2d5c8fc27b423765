import { readFileSync } from "node:fs";
import type { AgentDefinition } from "../agent/agent.ts";
import { hasTaskPlaceholder, injectTask } from "../agent/inject-task.ts";
import type { JsonObject } from "../source/json.ts";
import { describeEnvironment } from "./environment.ts";
import { readEffectiveContext } from "./effective-context.ts";
import { preloadSkills } from "./preload-skills.ts";
import { renderContext } from "./render-context.ts";
import type { Session } from "./session.ts";

/** The system prompt, recorded so that a resume on another day or branch goes on with the same one. */
export async function prepareInstructions(session: Session, task: string): Promise<string> {
  const { spec, definition, registry, steps, prefix } = session;
  const skills = await preloadSkills(session);
  const step = { key: `${prefix}instructions`, kind: "note" } as const;
  return await steps.do(step, async () => {
    const environment = await describeEnvironment(spec.workspace, new Date());
    const context = renderContext(await readEffectiveContext(registry, spec));
    // Where no placeholder asks for it, the task follows the body as the first message: so the instructions are the
    // same for every task of an agent, and providers can cache them.
    const body = hasTaskPlaceholder(definition.systemPrompt)
      ? injectTask(definition.systemPrompt, task)
      : definition.systemPrompt;
    const parts = [
      body,
      ...skills,
      environment,
      ...(context === "" ? [] : [context]),
      ...(spec.summary === true ? [readPrompt("summary")] : []),
      ...(spec.outputSchema === undefined ? [] : [askForOutput(definition, spec.outputSchema)]),
    ];
    return { value: parts.join("\n\n").trim() };
  });
}

function askForOutput({ runner }: AgentDefinition, schema: JsonObject): string {
  if (runner === undefined) return readPrompt("final-output");
  return `${readPrompt("runner-output")}\n\n\`\`\`json\n${JSON.stringify(schema, null, 2)}\n\`\`\``;
}

/** A text for models that stands beside the code. */
export function readPrompt(name: string): string {
  return readFileSync(new URL(`prompt/${name}.md`, import.meta.url), "utf8").trim();
}
