import type { Diagnostic } from "../source/diagnostic.ts";
import { isRecord } from "../source/json.ts";
import { didYouMean } from "../source/nearest.ts";
import type { PromptFile } from "./prompt-file.ts";

/** Names are looked up, paths and packs are resolved when they run. */
const plainName = /^[\w-]+$/;

/** An error for each entry of a prompt file whose name is that of none of `agents`. */
export function findUnknownAgents(
  { path, params, placeOf }: PromptFile,
  agents: Iterable<string>,
): Diagnostic[] {
  const known = new Set(agents);
  const entries = Array.isArray(params["sub_agents"]) ? params["sub_agents"] : [];
  return entries.flatMap((entry, index) => {
    const name = isRecord(entry) ? entry["name"] : entry;
    if (typeof name !== "string" || !plainName.test(name) || known.has(name)) return [];
    const message = `Expected the name of an agent; there is none named \`${name}\`.${didYouMean(name, known)}`;
    const fix = "`cadre agents` lists the agents there are.";
    const place = { path, ...placeOf("sub_agents", index) };
    return [{ ...place, severity: "error" as const, code: "agent-not-found", message, fix }];
  });
}
