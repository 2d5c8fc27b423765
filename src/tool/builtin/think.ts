import { z } from "zod";
import { createTool, type Tool } from "../tool.ts";

const input = z.object({ thought: z.string().min(1) });

/** Creates the `Think` tool, which only records a thought in the journal. */
export function createThinkTool(): Tool {
  return createTool({
    name: "Think",
    description:
      "Records a thought: a plan, a check of results, a decision. It changes nothing and returns no information.",
    access: "none",
    input,
    describe: () => ({ title: "Think", subject: "", paths: [] }),
    execute: async () => ({ text: "Noted." }),
  });
}
