import { createHash } from "node:crypto";
import type { AgentDefinition } from "../../agent/agent.ts";
import { nameRunner, parseRunner } from "../../agent/runner.ts";

/** A definition as the registry keeps it: without what its file may have of secrets. */
export interface StoredDefinition extends AgentDefinition {
  /** Tells whether the definition still names the same runner; `runner` itself is kept without arguments and variables. */
  runnerDigest?: string;
}

/** The form of a definition that is kept: what an agent of the same file is started with is read from there again. */
export function storeDefinition(definition: AgentDefinition): StoredDefinition {
  const { runner, extra, source, ...rest } = definition;
  // A graph is kept there; in a file these are fields that nobody understood, which may be anything.
  const isBuiltin = source.scope === "builtin" && extra !== undefined;
  return {
    ...rest,
    source,
    ...(isBuiltin && { extra }),
    ...(runner !== undefined && { runner: nameRunner(runner), runnerDigest: digestRunner(runner) }),
    // A finding may quote what it is about.
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
