import type { Registry } from "../../registry/registry.ts";
import type { RunSpec } from "../../run/run.ts";
import type { SharedContext } from "../../run/shared/shared-context.ts";
import type { JsonValue } from "../../source/json.ts";

/** A value that a run can read, and the run whose delegation shared the value. */
export interface ContextEntry {
  value: JsonValue;
  from: string;
}

/** All values that were shared with a run, by key. */
export type EffectiveContext = ReadonlyMap<string, ContextEntry>;

type Source = Pick<Registry, "spec" | "run">;

/** Reads the values shared with a run and its ancestors. The nearest value of a key counts. */
export async function readEffectiveContext(
  registry: Source,
  spec: RunSpec,
): Promise<EffectiveContext> {
  const found = new Map<string, ContextEntry>();
  for (const [key, { from, ...shared }] of await collectShared(registry, spec)) {
    const value = "runId" in shared ? await resultOf(registry, shared.runId) : shared.value;
    found.set(key, { value, from });
  }
  return found;
}

/** Returns the same values as a single layer, for a run without those ancestors. */
export async function flattenContext(
  registry: Pick<Registry, "spec">,
  spec: Layer,
): Promise<SharedContext | undefined> {
  if (spec.context === undefined) return undefined;
  const shared = [...(await collectShared(registry, spec))];
  const values = shared.flatMap(([key, item]) => ("value" in item ? [[key, item.value]] : []));
  const references = shared.flatMap(([key, item]) => ("runId" in item ? [[key, item.runId]] : []));
  return { values: Object.fromEntries(values), references: Object.fromEntries(references) };
}

/** A shared value, or the run whose result is the value, with the run that shared it. */
type Shared = { from: string } & ({ value: JsonValue } | { runId: string });

type Layer = Pick<RunSpec, "id" | "parentId" | "context">;

async function collectShared(
  registry: Pick<Registry, "spec">,
  spec: Layer,
): Promise<Map<string, Shared>> {
  const found = new Map<string, Shared>();
  let layer: Layer | undefined = spec;
  // If a parent has a context, its child has at least an empty layer.
  while (layer?.context !== undefined) {
    const { id: from, parentId, context }: Layer = layer;
    for (const [key, value] of Object.entries(context?.values ?? {})) {
      if (!found.has(key)) found.set(key, { from, value });
    }
    for (const [key, runId] of Object.entries(context?.references ?? {})) {
      if (!found.has(key)) found.set(key, { from, runId });
    }
    layer = parentId === null ? undefined : await registry.spec(parentId);
  }
  return found;
}

/** Returns the values as a frozen object. */
export function freezeContext(context: EffectiveContext): Readonly<Record<string, JsonValue>> {
  const entries = [...context].map(([key, { value }]): [string, JsonValue] => [key, value]);
  return freeze(structuredClone(Object.fromEntries(entries)));
}

/** Returns the result of a run as a value for contexts that refer to it. */
async function resultOf(registry: Source, runId: string): Promise<JsonValue> {
  const result = (await registry.run(runId))?.result ?? null;
  if (result === null)
    return { failure: { message: `The run ${runId} has no result, or its result was deleted.` } };
  const { output, text, failure } = result;
  if (failure === undefined) return output ?? text;
  const { code, message } = failure;
  return { failure: { code, message }, text };
}

function freeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}
