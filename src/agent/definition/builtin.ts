import type { AgentDefinition } from "./agent.ts";
import { promptFile } from "../../prompt-file.ts";

const systemPrompt = promptFile(new URL("prompt/main.md", import.meta.url));

/** Returns the built-in agent `main`: a general coding agent with every tool and every agent. */
export function createMainAgent(): AgentDefinition {
  return {
    name: "main",
    description: "General coding agent: works on the task itself and delegates parts of it.",
    systemPrompt: systemPrompt(),
    timeoutSeconds: 3600,
    maxTurns: 200,
    source: { format: "builtin", scope: "builtin", path: null },
    diagnostics: [],
    lines: {},
  };
}
