import { readFile } from "node:fs/promises";
import { join } from "node:path";
// In your own project: from "cadre".
import type { ProgramContext, SubAgentInput, SubAgentOutput } from "../../src/index.ts";

/** Finds open ends in the shop and emits an event if there are any. */
export default {
  name: "scout",
  description: "Finds what was left open.",
  async run(input: SubAgentInput, { cwd, log, step }: ProgramContext): Promise<SubAgentOutput> {
    const found = await step("look", async () => {
      const lines = (await readFile(join(cwd, "shop/price.js"), "utf8")).split("\n");
      return lines.flatMap((line, at) =>
        line.includes("TODO") ? [`${at + 1}: ${line.trim()}`] : [],
      );
    });
    log(`${found.length} open ends before the event ${input.event} was over`);
    return { agent_result: found, emit_events: found.length > 0 ? ["scout::found"] : [] };
  },
};
