import { readFile } from "node:fs/promises";
import type { Session } from "../../engine/session.ts";
import { messageOf } from "../../engine/to-failure.ts";
import { insertAnswer } from "../../pipeline/answer/insert-answer.ts";
import type { PipelineResult } from "../../pipeline/run-pipeline.ts";
import { addUpFamilies, noFigures } from "../../run/figures/figures.ts";
import { writeAtomically } from "../../tool/atomic-write.ts";
import { confine, displayPath } from "../../tool/path-confinement.ts";
import { takeAipStep } from "../aip-steps.ts";

/** Writes what a pipeline came to into its prompt file, once. That it could not be written is a warning. */
export async function writeAnswer(
  session: Session,
  path: string,
  result: PipelineResult,
): Promise<void> {
  const { spec, warnings, signal } = session;
  const shown = displayPath(path, spec.workspace);
  const step = {
    key: "pipeline/answer",
    title: `Write the answer into ${shown}`,
    act: { kind: "write", subject: path },
  } as const;
  try {
    const confined = confine(path, { workspace: spec.workspace });
    const problem = await takeAipStep(session, step, async () => {
      const answer = await describeAnswer(session, result);
      const insertion = insertAnswer(await readFile(confined, "utf8"), answer);
      if ("problem" in insertion) return insertion.problem;
      await writeAtomically(confined, insertion.text);
      return null;
    });
    if (problem !== null) throw new Error(problem);
  } catch (error) {
    signal.throwIfAborted();
    const reason = messageOf(error).replace(/\.$/, "");
    warnings.add(`The answer was not written into ${shown}: ${reason}.`);
  }
}

async function describeAnswer(
  { registry, spec }: Session,
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
