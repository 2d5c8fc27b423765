import { createHash } from "node:crypto";
import type { Registry } from "../registry/registry.ts";
import type { RunSpec } from "../run/run.ts";
import type { JsonValue } from "../source/json.ts";
import { performCall, planCall, type Toolbox } from "./call-tool.ts";
import { collectReads, digestOutcome, type ReadCall } from "./read-calls.ts";
import { composeTask } from "./compose-task.ts";
import { readEffectiveContext } from "./effective-context.ts";
import { preloadSkills } from "./preload-skills.ts";
import type { Conclusion, Session } from "./session.ts";

/**
 * The result of an earlier run that was asked for the same, if everything it read is still the same; else what `work`
 * comes to, which is kept for later runs unless the run did more than read. The journal says whose result it is.
 */
export async function throughCache(
  session: Session,
  toolbox: Toolbox,
  work: () => Promise<Conclusion>,
): Promise<Conclusion> {
  const { registry, spec, steps, prefix } = session;
  // Its beginning was done by another run: what that touched is not in its own journal.
  if (spec.lineage?.kind === "fork") return await work();
  const key = keyOf(spec, await readSeen(session));
  const hasBegun = prefix !== "" || steps.isRecorded("instructions");
  const earlier = hasBegun ? undefined : await findEarlier(session, toolbox, key);
  if (earlier !== undefined) return earlier;
  const conclusion = await work();
  await registry.flushed();
  const reads = await collectReads(registry, spec.id, toolbox.tools);
  const basis = reads as unknown as JsonValue | undefined;
  if (basis !== undefined) registry.cache.keep({ key, runId: spec.id, basis });
  return conclusion;
}

async function findEarlier(
  session: Session,
  toolbox: Toolbox,
  key: string,
): Promise<Conclusion | undefined> {
  const { registry, spec } = session;
  const run = await registry.run(spec.id);
  if (run?.cachedFrom !== undefined) return await resultOf(registry, run.cachedFrom);
  for (const { runId, basis } of registry.cache.find(key)) {
    const earlier = await resultOf(registry, runId);
    if (earlier === undefined || !(await isSame(session, toolbox, basis))) continue;
    registry.append(spec.id, { type: "result-reused", from: runId });
    registry.cache.hit(runId);
    return earlier;
  }
  return undefined;
}

/** What it is told to begin with, results of other runs included, whichever runs those were. */
async function readSeen(session: Session): Promise<JsonValue> {
  const { registry, spec } = session;
  const context = [...(await readEffectiveContext(registry, spec))];
  const values = context.map(([key, { value }]) => [key, value]);
  return [await composeTask(registry, spec), values, ...(await preloadSkills(session))];
}

/** Equal for runs that are asked for the same by somebody who may see the same. */
function keyOf(spec: RunSpec, seen: JsonValue): string {
  const { definition, model, temperature, summary, outputSchema, retry, images } = spec;
  const { workspace, parentTools, policies, agents, extensions } = spec;
  const asked = [definition, model, temperature, summary, outputSchema, retry, images];
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

async function isSame(session: Session, toolbox: Toolbox, basis: JsonValue): Promise<boolean> {
  for (const [index, read] of (basis as unknown as ReadCall[]).entries()) {
    session.signal.throwIfAborted();
    if ((await readAgain(session, toolbox, read, index)) !== read.outcome) return false;
  }
  return true;
}

/** What the call gives now; `undefined` when it cannot be made any more. */
async function readAgain(
  session: Session,
  toolbox: Toolbox,
  { tool, input }: ReadCall,
  index: number,
): Promise<string | undefined> {
  const planned = planCall({ type: "tool-call", id: "", tool, input }, `cache/${index}`, {
    tools: toolbox.tools,
    workspace: session.spec.workspace,
  });
  return "problem" in planned
    ? undefined
    : digestOutcome(await performCall(session, toolbox, planned));
}
