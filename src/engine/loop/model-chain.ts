/** The models of a run, in the order in which they take over from each other. See docs/models.md. */

import { CadreError } from "../../errors.ts";
import type { Model } from "../../model/model.ts";
import type { ModelProblemKind } from "../../model/request/model-problem.ts";
import { describeModelChange, modelInUse, modelsOf } from "../../run/fallback/model-change.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { RunFailed, toFailure } from "../run-failed.ts";

/** The models of one run. */
export interface ModelChain {
  /** Returns the model in use. */
  current(): Model;
  /**
   * Switches to the next model that may take over after `error`, if any, and records that for the step `key`. Resolves with
   * whether it switched.
   */
  advance(key: string, error: unknown): Promise<boolean>;
}

/** The failures after which the next model is asked: the model or its provider fails regardless of the request. */
const unavailable: ReadonlySet<string> = new Set<ModelProblemKind>([
  "rate-limited",
  "overloaded",
  "server-error",
  "network",
  "stalled",
  "certificate",
  "truncated",
  "malformed",
  "out-of-credit",
  "key-refused",
  "forbidden",
  "not-found",
  "redirected",
]);

/** Creates a chain of one model. */
export function createSingleModel(model: Model): ModelChain {
  return { current: () => model, advance: () => Promise.resolve(false) };
}

/**
 * Creates the chain of `run`, starting with the model in use according to its journal.
 *
 * @throws CadreError `model-unavailable` when that model cannot be used.
 */
export async function createModelChain(
  resolveModel: (reference: string, family?: string) => Promise<Model>,
  run: RunContext,
  first: string,
): Promise<ModelChain> {
  const { spec, registry, warnings } = run;
  const inUse = modelInUse(spec, await registry.run(spec.id)) ?? first;
  const models = modelsOf(spec);
  let rest = models.slice(models.indexOf(inUse) + 1);
  let current = await resolveModel(inUse, spec.rootId);
  if (rest.length === 0) return createSingleModel(current);

  /** Finds a model that may take over. Models before it are not asked again. */
  async function findNext(reason: string): Promise<Model | undefined> {
    const after = current.contextTokens;
    for (const [index, reference] of rest.entries()) {
      // The parent's model replaces an unknown model only.
      const isForUnknown = reference === spec.fallbackModel && !spec.fallbacks?.includes(reference);
      if (isForUnknown && reason !== "not-found") continue;
      const model = await resolveOrWarn(reference);
      if (model === undefined) continue;
      if (reason === "context-overflow" && model.contextTokens <= after) continue;
      rest = rest.slice(index + 1);
      return model;
    }
    return undefined;
  }

  async function resolveOrWarn(reference: string): Promise<Model | undefined> {
    try {
      return await resolveModel(reference, spec.rootId);
    } catch (error) {
      if (!(error instanceof CadreError) || error.code !== "model-unavailable") throw error;
      warnings.add(`The fallback ${reference} cannot be used: ${error.message}`);
      return undefined;
    }
  }

  return {
    current: () => current,
    async advance(key, error) {
      const reason = reasonOf(error);
      if (reason === undefined || run.signal.aborted) return false;
      const next = await findNext(reason);
      if (next === undefined) return false;
      const change = { from: current.id, to: next.id, reason };
      const { message } = toFailure(error);
      registry.append(spec.id, { type: "model-changed", key, ...change, message });
      warnings.add(`${describeModelChange(change)}.`);
      current = next;
      return true;
    },
  };
}

/**
 * Makes a request with `ask`, and repeats it with the next models when it fails for good. `onChange` runs before each repetition.
 */
export function askInTurn<Reply>(
  models: Pick<ModelChain, "advance">,
  key: string,
  ask: () => Promise<Reply>,
  onChange: () => void = () => undefined,
): Promise<Reply> {
  return ask().catch(async (error: unknown) => {
    if (!(await models.advance(key, error))) throw error;
    onChange();
    return await askInTurn(models, key, ask, onChange);
  });
}

/** Returns the kind of a failure after which the next model may be asked. */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof CadreError || error instanceof RunFailed)) return undefined;
  const kind = toFailure(error).details?.["kind"];
  if (typeof kind !== "string") return undefined;
  return unavailable.has(kind) || kind === "context-overflow" ? kind : undefined;
}
