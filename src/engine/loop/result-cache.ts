import { createHash } from "node:crypto";
import type { Registry } from "../../registry/registry.ts";
import type { RunSpec } from "../../run/run.ts";
import type { JsonValue } from "../../source/json.ts";
import { performCall, planCall, type Toolbox } from "../tool-call/call-tool.ts";
import { collectReads, digestOutcome, type ReadCall } from "../tool-call/read-calls.ts";
import { composeTask } from "../prompt/compose-task.ts";
import { readEffectiveContext } from "../prompt/effective-context.ts";
import { digestInstructionFiles } from "../prompt/instructions.ts";
import { preloadSkills } from "../prompt/preload-skills.ts";
import type { Conclusion, RunContext } from "../run-context/run-context.ts";

/**
 * Returns the result of an earlier run with the same request, if everything that the earlier run read is unchanged. Otherwise
 * returns the result of `work`, and caches it for later runs if the run only read. The journal names the run whose result was
 * used.
 */
export async function throughCache(
  run: RunContext,
  toolbox: Toolbox,
  work: () => Promise<Conclusion>,
): Promise<Conclusion> {
  const { registry, spec, steps, prefix } = run;
  // Another run executed its beginning, so this run's journal does not show what that part touched.
  if (spec.lineage?.kind === "fork") return await work();
  // Its result depends on notes that change with each run.
  if (run.memory !== undefined) return await work();
  const key = keyOf(spec, await readSeen(run));
  const hasBegun = prefix !== "" || steps.isRecorded("instructions");
  const earlier = hasBegun ? undefined : await findEarlier(run, toolbox, key);
  if (earlier !== undefined) return earlier;
  const conclusion = await work();
  await registry.flushed();
  const reads = await collectReads(registry, spec.id, toolbox.tools);
  const basis = reads as unknown as JsonValue | undefined;
  if (basis !== undefined) await registry.cache.keep({ key, runId: spec.id, basis });
  return conclusion;
}

async function findEarlier(
  run: RunContext,
  toolbox: Toolbox,
  key: string,
): Promise<Conclusion | undefined> {
  const { registry, spec } = run;
  const recorded = await registry.run(spec.id);
  if (recorded?.cachedFrom !== undefined) return await resultOf(registry, recorded.cachedFrom);
  for (const { runId, basis } of await registry.cache.find(key)) {
    const earlier = await resultOf(registry, runId);
    if (earlier === undefined || !(await isSame(run, toolbox, basis))) continue;
    registry.append(spec.id, { type: "result-reused", from: runId });
    await registry.cache.hit(runId);
    return earlier;
  }
  return undefined;
}

/**
 * Returns the content that a run begins with: its task with the results of other runs, its shared context, its instruction files
 * and its skills.
 */
async function readSeen(run: RunContext): Promise<JsonValue> {
  const { registry, spec } = run;
  const context = [...(await readEffectiveContext(registry, spec))];
  const values = context.map(([key, { value }]) => [key, value]);
  const task = await composeTask(registry, spec);
  return [task, values, await digestInstructionFiles(run), ...(await preloadSkills(run))];
}

/** Returns a key that is equal for runs with the same request and the same rights. */
function keyOf(spec: RunSpec, seen: JsonValue): string {
  const { definition, model, temperature, summary, outputSchema, retry, images } = spec;
  const { workspace, parentTools, policies, agents, extensions } = spec;
  const { tools, maxTurns, providerOptions, toolChoice, stopWhen } = spec;
  const settings = { tools, maxTurns, providerOptions, toolChoice, stopWhen };
  const asked = [definition, model, temperature, summary, outputSchema, retry, images, settings];
  const allowed = [workspace, parentTools, policies, agents, extensions];
  return createHash("sha256")
    .update(JSON.stringify([asked, seen, allowed]))
    .digest("hex");
}

async function resultOf(registry: Registry, runId: string): Promise<Conclusion | undefined> {
  const result = (await registry.run(runId))?.result;
  if (result === null || result?.status !== "succeeded") return undefined;
  const { text, output } = result;
  return output === undefined ? { text } : { text, output };
}

async function isSame(run: RunContext, toolbox: Toolbox, basis: JsonValue): Promise<boolean> {
  for (const [index, read] of (basis as unknown as ReadCall[]).entries()) {
    run.signal.throwIfAborted();
    if ((await readAgain(run, toolbox, read, index)) !== read.outcome) return false;
  }
  return true;
}

/** Returns the current result of the call; `undefined` when it can no longer be made. */
async function readAgain(
  run: RunContext,
  toolbox: Toolbox,
  { tool, input }: ReadCall,
  index: number,
): Promise<string | undefined> {
  const planned = planCall({ type: "tool-call", id: "", tool, input }, `cache/${index}`, {
    tools: toolbox.tools,
    workspace: run.spec.workspace,
  });
  return "problem" in planned ? undefined : digestOutcome(await performCall(run, toolbox, planned));
}
