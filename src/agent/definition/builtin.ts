import { readFileSync } from "node:fs";
import type { AgentDefinition } from "./agent.ts";

let prompt: string | undefined;

/** Returns the built-in agent `main`: a general coding agent with every tool and every agent. */
export function createMainAgent(): AgentDefinition {
  prompt ??= readFileSync(new URL("prompt/main.md", import.meta.url), "utf8").trim();
  return {
    name: "main",
    description: "General coding agent: works on the task itself and delegates parts of it.",
    systemPrompt: prompt,
    timeoutSeconds: 3600,
    maxTurns: 200,
    source: { format: "builtin", scope: "builtin", path: null },
    diagnostics: [],
    lines: {},
  };
}
