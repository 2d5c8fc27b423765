import { createHash } from "node:crypto";
import type { ModelReply } from "../model/model.ts";
import type { Registry } from "../registry/registry.ts";
import type { RunEvent } from "../run/event.ts";
import { isRecord, type JsonValue } from "../source/json.ts";
import type { Tool, ToolOutcome } from "../tool/tool.ts";
import { findTool } from "./select-tools.ts";

/** A call that only read, and what it gave: what the result of a run rests on. */
export interface ReadCall {
  tool: string;
  input: JsonValue;
  /** The SHA-256 of what the model was given, and of the files that were read for it. */
  outcome: string;
}

/**
 * The reads of a run and of those below it, from their journals; `undefined` when one of them did more than read, so that
 * its result is not all there is to it.
 */
export async function collectReads(
  registry: Registry,
  runId: string,
  tools: ReadonlyMap<string, Tool>,
): Promise<ReadCall[] | undefined> {
  const reads = readsIn(await registry.events(runId), tools);
  for (const child of await registry.children(runId)) {
    const below = await collectReads(registry, child.id, tools);
    if (below === undefined) return undefined;
    reads?.push(...below);
  }
  return reads;
}

/** What a read gave, in a form that can be compared. */
export function digestOutcome({ text, files = [] }: ToolOutcome): string {
  return createHash("sha256")
    .update(JSON.stringify([text, files]))
    .digest("hex");
}

type Calls = Map<string, { tool: string; input: JsonValue }>;

function readsIn(
  events: readonly RunEvent[],
  tools: ReadonlyMap<string, Tool>,
): ReadCall[] | undefined {
  const calls: Calls = new Map();
  const begun = new Set<string>();
  const reads: ReadCall[] = [];
  for (const event of events) {
    // What somebody said to it is nothing that another run would hear.
    if (event.type === "messages-delivered") return undefined;
    if (event.type === "step-started") begun.add(event.key);
    if (event.type !== "step-finished") continue;
    // A runner does more than it tells.
    if (event.kind === "model" && isOfRunner(event.value)) return undefined;
    if (event.kind === "model") noteCalls(calls, event.key, event.value);
    // A call that was refused did nothing.
    if (event.kind !== "tool" || !begun.has(event.key)) continue;
    const call = calls.get(event.key);
    const access = call && findTool(tools, call.tool)?.access;
    if (access === "none" || access === "delegate") continue;
    const outcome = event.value as unknown as ToolOutcome;
    if (call === undefined || access !== "read" || isCut(outcome, event.runId)) return undefined;
    reads.push({ ...call, outcome: digestOutcome(outcome) });
  }
  return reads;
}

function isOfRunner(reply: JsonValue): boolean {
  return isRecord(reply) && "stopReason" in reply;
}

/** The calls of a reply under the keys of their steps: those of `model/3` are `tool/3/0` and so on. */
function noteCalls(calls: Calls, key: string, value: JsonValue): void {
  const { parts } = value as unknown as Pick<ModelReply, "parts">;
  const isCall = ({ type }: (typeof parts)[number]): boolean => type.endsWith("tool-call");
  for (const [index, part] of parts.filter(isCall).entries()) {
    if (part.type !== "tool-call") continue;
    calls.set(`${key.replace("model/", "tool/")}/${index}`, { tool: part.tool, input: part.input });
  }
}

/** A text that was cut names the file that holds the whole, which is of this run only. */
function isCut({ text, files = [] }: ToolOutcome, runId: string): boolean {
  return files.length === 0 && text.includes(runId);
}
