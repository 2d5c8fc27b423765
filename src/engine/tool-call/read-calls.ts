import { createHash } from "node:crypto";
import type { ModelReply } from "../../model/model.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunEvent } from "../../run/event.ts";
import { isRecord, type JsonValue } from "../../source/json.ts";
import type { Tool, ToolOutcome } from "../../tool/tool.ts";
import { createCallIds } from "./call-ids.ts";
import { isCall } from "./call-tool.ts";
import { findTool } from "./select-tools.ts";

/** A call that only read, and its outcome. A run's result rests on such calls. */
export interface ReadCall {
  tool: string;
  input: JsonValue;
  /** The SHA-256 of the output for the model and of the files that were read. */
  outcome: string;
}

/**
 * Collects the reads of a run and its descendants from their journals. Returns `undefined` when one of them did more than read,
 * so that its text is not its only result.
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

/** Returns a digest of a read, for comparison. */
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
  let hasSchema = false;
  for (const event of events) {
    if (event.type === "run-created") hasSchema = event.spec.outputSchema !== undefined;
    // Another run would not get these messages.
    if (event.type === "messages-delivered") return undefined;
    if (event.type === "step-started") begun.add(event.key);
    if (event.type !== "step-finished") continue;
    // A runner may do more than it reports.
    if (event.kind === "model" && isOfRunner(event.value)) return undefined;
    if (event.kind === "model") noteCalls(calls, event.key, event.value, hasSchema);
    // A refused call did nothing.
    if (event.kind !== "tool" || !begun.has(event.key)) continue;
    const call = calls.get(event.key);
    const { access, asksUser } = (call && findTool(tools, call.tool)) ?? {};
    if (asksUser === true) return undefined;
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

/** Records the calls of a reply by their step keys. */
function noteCalls(calls: Calls, key: string, value: JsonValue, hasSchema: boolean): void {
  const name = createCallIds(key, hasSchema);
  for (const part of (value as unknown as Pick<ModelReply, "parts">).parts.filter(isCall)) {
    const callKey = name(part.tool);
    if (part.type === "tool-call") calls.set(callKey, { tool: part.tool, input: part.input });
  }
}

/** Reports whether the text was cut. A cut text names a file of this run. */
function isCut({ text, files = [] }: ToolOutcome, runId: string): boolean {
  return files.length === 0 && text.includes(runId);
}
