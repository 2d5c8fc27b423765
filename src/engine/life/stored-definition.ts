import { createHash } from "node:crypto";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { nameRunner, parseRunner } from "../../agent/fields/runner.ts";

/** A definition as the registry stores it, without the secrets that its file may hold. */
export interface StoredDefinition extends AgentDefinition {
  /** Identifies the runner. `runner` itself is stored without arguments and variables. */
  runnerDigest?: string;
}

/** Cached by definition, because all runs of an agent share one definition object that never changes. */
const stored = new WeakMap<AgentDefinition, StoredDefinition>();

/**
 * Returns the stored form of a definition. It is the same object each time, so it is hashed once. The commands of its servers and
 * runners are read from its file again.
 */
export function storeDefinition(definition: AgentDefinition): StoredDefinition {
  const known = stored.get(definition) ?? toStored(definition);
  stored.set(definition, known);
  return known;
}

function toStored(definition: AgentDefinition): StoredDefinition {
  const { runner, extra, source, ...rest } = definition;
  // Built-in definitions keep their graph in `extra`. In files these are unknown keys, which may hold anything.
  const isBuiltin = source.scope === "builtin" && extra !== undefined;
  return {
    ...rest,
    source,
    ...(isBuiltin && { extra }),
    ...(runner !== undefined && { runner: nameRunner(runner), runnerDigest: digestRunner(runner) }),
    // A finding may quote secrets.
    diagnostics: [],
  };
}

/** Hex SHA-256 of a runner's command, its arguments and the names of its variables; their values may be secrets. */
export function digestRunner(runner: string): string {
  const parsed = parseRunner(runner);
  const identity =
    "problem" in parsed
      ? runner
      : [parsed.command, parsed.args, Object.keys(parsed.environment).sort()];
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex");
}
