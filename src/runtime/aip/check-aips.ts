import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { checkAip } from "../../aip/check-aip.ts";
import { createLuaPool } from "../../aip/lua/lua-pool.ts";
import { parseAip } from "../../aip/document/parse-aip.ts";
import { type Diagnostic, hasError } from "../../source/diagnostic.ts";

/** Finds problems in the sections, scripts and templates of `.aip` agents without executing them. */
export async function checkAips(agents: readonly AgentDefinition[]): Promise<Diagnostic[]> {
  // Starts a thread for the first script and keeps it for a run that starts soon.
  const lua = createLuaPool({}, () => 1);
  const found: Diagnostic[] = [];
  try {
    for (const { systemPrompt, source, diagnostics } of agents) {
      found.push(...diagnostics);
      if (source.path === null || hasError(diagnostics)) continue;
      found.push(...(await checkAip(parseAip(systemPrompt, source.path), lua)));
    }
  } finally {
    await lua.close();
  }
  return found;
}
