import { readFileSync } from "node:fs";
import { hasTaskPlaceholder, injectTask } from "../agent/inject-task.ts";
import { describeEnvironment } from "./environment.ts";
import { readEffectiveContext } from "./effective-context.ts";
import { renderContext } from "./render-context.ts";
import type { Session } from "./session.ts";

/** The system prompt, recorded so that a resume on another day or branch goes on with the same one. */
export async function prepareInstructions(session: Session, task: string): Promise<string> {
  const { spec, definition, registry, steps, prefix } = session;
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
      environment,
      ...(context === "" ? [] : [context]),
      ...(spec.summary === true ? [readPrompt("summary")] : []),
      ...(spec.outputSchema === undefined ? [] : [readPrompt("final-output")]),
    ];
    return { value: parts.join("\n\n").trim() };
  });
}

function readPrompt(name: string): string {
  return readFileSync(new URL(`prompt/${name}.md`, import.meta.url), "utf8").trim();
}
