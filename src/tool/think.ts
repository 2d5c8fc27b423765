import { z } from "zod";
import { defineTool, type Tool } from "./tool.ts";

/** Makes the `Think` tool: a thought in the journal, and nothing else. */
export function createThinkTool(): Tool {
  return defineTool({
    name: "Think",
    description:
      "Writes a thought down: a plan, a check of what was found, a decision. It changes nothing and finds nothing out.",
    access: "none",
    input: z.object({ thought: z.string().min(1) }),
    describe: () => ({ title: "Think", subject: "", paths: [] }),
    execute: async () => ({ text: "Noted." }),
  });
}
