// The prompt of a run: its instructions and its first message.

import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { hasTaskPlaceholder, injectTask } from "../../agent/definition/inject-task.ts";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import { describeEnvironment } from "./environment.ts";
import { readEffectiveContext } from "./effective-context.ts";
import { type InstructionPart, readInstructionPart } from "./instruction-files.ts";
import { describeMemory } from "./memory.ts";
import { preloadSkills } from "./preload-skills.ts";
import { readEnginePrompt } from "./read-engine-prompt.ts";
import { renderContext } from "./render-context.ts";
import type { RunContext } from "../run-context/run-context.ts";
import type { Step } from "../run-context/step.ts";

/** The recorded system prompt: its text. With instruction files, the text and the files that it contains. */
type Recorded = string | InstructionPart;

/** Prepares the system prompt. It is recorded, so that a resume on another day or branch uses the same prompt. */
export async function prepareInstructions(run: RunContext, task: string): Promise<string> {
  const { spec, definition, registry, steps, prefix } = run;
  const skills = await preloadSkills(run);
  const recorded = await steps.do<Recorded>(stepOf(prefix), async () => {
    const environment = await describeEnvironment(spec.workspace, new Date());
    const context = renderContext(await readEffectiveContext(registry, spec));
    const { text: guidance, files, warnings: left } = await readInstructionPart(run);
    const memory = await describeMemory(run);
    const warnings = [...left, ...memory.warnings];
    // Without a placeholder the task is the first message. The instructions are then the same for every task of an agent, and
    // providers can cache them.
    const body = hasTaskPlaceholder(definition.systemPrompt)
      ? injectTask(definition.systemPrompt, task)
      : definition.systemPrompt;
    const parts = [
      body,
      ...[guidance, ...skills, memory.text].filter((part) => part !== ""),
      environment,
      ...(context === "" ? [] : [context]),
      ...(spec.summary === true ? [readEnginePrompt("summary")] : []),
      ...(spec.outputSchema === undefined ? [] : [askForOutput(definition, spec.outputSchema)]),
    ];
    const text = parts.join("\n\n").trim();
    const isPlain = files.length === 0 && warnings.length === 0;
    return { value: isPlain ? text : { text, files, warnings } };
  });
  const { text, warnings } = partOf(recorded);
  for (const warning of warnings) run.warnings.add(warning);
  return text;
}

/** Identifies the instruction files of a run: those in its journal, otherwise those it would use now. */
export async function digestInstructionFiles(run: RunContext): Promise<JsonValue> {
  const recorded = run.steps.recordedValue(stepOf(run.prefix).key);
  const { files } =
    recorded === undefined ? await readInstructionPart(run) : partOf(recorded as Recorded);
  return files.map(({ path, hash }) => [path, hash]);
}

/** Returns the system prompt of a recorded step `instructions`. */
export function instructionsIn(recorded: JsonValue): string {
  return partOf(recorded as Recorded).text;
}

function partOf(recorded: Recorded): InstructionPart {
  return typeof recorded === "string" ? { text: recorded, files: [], warnings: [] } : recorded;
}

function stepOf(prefix: string): Extract<Step, { kind: "note" | "model" }> {
  return { key: `${prefix}instructions`, kind: "note" };
}

function askForOutput({ runner }: AgentDefinition, schema: JsonObject): string {
  if (runner === undefined) return readEnginePrompt("final-output");
  return `${readEnginePrompt("runner-output")}\n\n\`\`\`json\n${JSON.stringify(schema, null, 2)}\n\`\`\``;
}
