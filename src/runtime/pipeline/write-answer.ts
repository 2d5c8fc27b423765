import { readFile } from "node:fs/promises";
import type { InternalContext } from "../../engine/program/internal-context.ts";
import { messageOf } from "../../engine/run-failed.ts";
import { insertAnswer } from "../../pipeline/prompt-file/insert-answer.ts";
import type { PipelineResult } from "../../pipeline/run-pipeline.ts";
import { addUpFamilies, noFigures } from "../../run/figures.ts";
import { writeAtomically } from "../../tool/control-file/atomic-write.ts";
import { confine, displayPath } from "../../tool/path/path-confinement.ts";
import { takeAipStep } from "../aip/aip-steps.ts";

/** Writes the answer of a pipeline into its prompt file, once. A failure to write is a warning. */
export async function writeAnswer(
  context: InternalContext,
  path: string,
  result: PipelineResult,
): Promise<void> {
  const { spec, warn, signal } = context;
  const shown = displayPath(path, spec.workspace);
  const step = {
    key: "pipeline/answer",
    title: `Write the answer into ${shown}`,
    act: { kind: "write", subject: path },
  } as const;
  try {
    const confined = confine(path, { workspace: spec.workspace });
    const problem = await takeAipStep(context, step, async () => {
      const answer = await describeAnswer(context, result);
      const insertion = insertAnswer(await readFile(confined, "utf8"), answer);
      if ("problem" in insertion) return insertion.problem;
      await writeAtomically(confined, insertion.text);
      return null;
    });
    if (problem !== null) throw new Error(problem);
  } catch (error) {
    signal.throwIfAborted();
    const reason = messageOf(error).replace(/\.$/, "");
    warn(`The answer was not written into ${shown}: ${reason}.`);
  }
}

async function describeAnswer(
  { registry, spec }: InternalContext,
  { text, failure, files_changed: files }: PipelineResult,
): Promise<string> {
  const family = await registry.family(spec.rootId);
  const own = family.find(({ id }) => id === spec.id);
  const { usage, cost } = addUpFamilies(family).get(spec.id) ?? noFigures;
  const seconds = (Date.now() - (own?.startedAt ?? Date.now())) / 1000;
  const state = failure === null ? "succeeded" : "failed";
  const price = cost === null ? "unknown" : `$${Number(cost.toFixed(6))}`;
  const [input, output] = [usage.inputTokens, usage.outputTokens].map((count) =>
    count.toLocaleString("en-US"),
  );
  const lines = [
    `> Run: ${spec.id}, ${state} after ${seconds.toFixed(1)}s`,
    `> Cost: ${price} | Tokens: ${input} in, ${output} out`,
    `> Files changed: ${files.length === 0 ? "none" : files.join(", ")}`,
    ...(failure === null ? [] : [`> Failed: ${failure.message.replaceAll(/\s+/g, " ")}`]),
  ];
  return `${lines.join("\n")}\n\n${text}`;
}
