import type { AgentDefinition } from "../../agent/agent.ts";
import { checkAip } from "../../aip/check-aip.ts";
import { createLuaPool } from "../../aip/lua-pool.ts";
import { parseAip } from "../../aip/parse-aip.ts";
import { type Diagnostic, hasError } from "../../source/diagnostic.ts";

/** Finds what is wrong with the sections, scripts and templates of `.aip` agents. Nothing of them is executed. */
export async function checkAips(agents: readonly AgentDefinition[]): Promise<Diagnostic[]> {
  // Starts a thread when there is a script to compile, and leaves it to a run that begins soon.
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
