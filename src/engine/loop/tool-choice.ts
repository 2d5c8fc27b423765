import type { ModelRequest } from "../../model/model.ts";
import type { RunSpec } from "../../run/run.ts";
import { RunFailed } from "../run-failed.ts";

/** Returns the tool choice of the request of the turn `turn`, counted from 1. */
export type ChooseTool = (turn: number) => ModelRequest["toolChoice"];

/**
 * Creates the tool choice of a conversation. A required call applies to the first reply only. If it applied to every reply, the
 * agent could never answer.
 *
 * @throws RunFailed `tool-unavailable` when the run does not have the tool.
 */
export function createToolChoice(
  { agent, toolChoice }: Pick<RunSpec, "agent" | "toolChoice">,
  tools: ReadonlyMap<string, unknown>,
): ChooseTool {
  if (toolChoice === undefined || toolChoice === "auto") return () => undefined;
  if (toolChoice === "none") return () => ({ type: "none" });
  if (toolChoice === "required") {
    if (tools.size === 0) throw unavailable(agent, "a tool", tools);
    return first({ type: "required" });
  }
  const { tool: name } = toolChoice;
  if (!tools.has(name)) throw unavailable(agent, `the tool ${name}`, tools);
  return first({ type: "tool", name });
}

function first(choice: ModelRequest["toolChoice"]): ChooseTool {
  return (turn) => (turn === 1 ? choice : undefined);
}

function unavailable(agent: string, what: string, tools: ReadonlyMap<string, unknown>): RunFailed {
  const names = [...tools.keys()].join(", ") || "none";
  const message = `Agent ${agent} was to call ${what} first (toolChoice), which it does not have. Its tools: ${names}.`;
  return new RunFailed({ code: "tool-unavailable", message });
}
