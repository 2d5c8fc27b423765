import { plainLine } from "../extension/plain-text.ts";
import { isRecord, type JsonValue } from "../source/json.ts";
import type { AgentCall, AgentUpdate, PlanEntry } from "./agent-update.ts";
import { omitUndefined } from "../omit-undefined.ts";

/** The maximum length of titles, which are shown on one line. Longer titles are cut. */
const titleCharacters = 200;
/** The maximum number of files, content blocks and plan entries read from one report. */
const maxItems = 200;

const statuses = ["pending", "in_progress", "completed", "failed"] as const;

/** Parses an untrusted `session/update`. A report of another session only shows that the agent is alive. */
export function readUpdate(params: unknown, sessionId: string): AgentUpdate {
  const update = isRecord(params) && params["sessionId"] === sessionId ? params["update"] : null;
  if (!isRecord(update)) return { type: "other" };
  switch (update["sessionUpdate"]) {
    case "agent_message_chunk":
      return readChunk(update);
    case "tool_call":
    case "tool_call_update": {
      const call = readCall(update);
      return call === undefined ? { type: "other" } : { type: "call", call };
    }
    case "plan":
      return { type: "plan", entries: recordsIn(update["entries"]).map(readEntry) };
    case "usage_update":
      return readCost(update["cost"]);
    case "session_info_update":
      return readHealth(update["_meta"]);
    default:
      return { type: "other" };
  }
}

/** Parses the report of a call; `undefined` when it has no id. */
export function readCall(update: Record<string, unknown>): AgentCall | undefined {
  const {
    toolCallId: id,
    title,
    name,
    kind,
    status,
    content,
    locations,
    rawInput,
    rawOutput,
    _meta: meta,
  } = update;
  if (typeof id !== "string") return undefined;
  const blocks = recordsIn(content);
  const texts = blocks.map(describeContent).filter((part) => part !== "");
  const text = texts.length > 0 ? texts.join("\n") : textOf(rawOutput);
  const part = textOf(isRecord(meta) ? meta["terminal_output_delta"] : null);
  const diffs = blocks.filter(({ type }) => type === "diff").flatMap(pathOf);
  const paths = [...recordsIn(locations).flatMap(pathOf), ...diffs, ...pathsIn(rawInput)];
  const known = statuses.find((one) => one === status);
  const changed = kind === "delete" || kind === "move" ? paths : diffs;
  return {
    id,
    ...titled("title", isArguments(title) ? undefined : title),
    ...titled("name", name ?? (isRecord(meta) ? meta["toolName"] : undefined)),
    ...(typeof kind === "string" && { kind }),
    ...omitUndefined({ status: known }),
    ...(text !== "" && { text }),
    ...(part !== "" && { part }),
    ...(paths.length > 0 && { paths: [...new Set(paths)] }),
    ...(changed.length > 0 && { changed: [...new Set(changed)] }),
    ...(blocks.some(({ type }) => type === "terminal") && { hasTerminal: true }),
    ...(rawInput !== undefined && rawInput !== null && { input: rawInput as JsonValue }),
  };
}

/** Reports whether a title consists of the call's arguments. The call's name is then a better title. */
function isArguments(title: unknown): boolean {
  return typeof title === "string" && title.startsWith("{");
}

function titled(field: "title" | "name", text: unknown): Pick<AgentCall, "title" | "name"> {
  return typeof text === "string" ? { [field]: plainLine(text, titleCharacters) } : {};
}

function readChunk({ content, messageId }: Record<string, unknown>): AgentUpdate {
  const text = isRecord(content) && content["type"] === "text" ? content["text"] : undefined;
  if (typeof text !== "string" || text === "") return { type: "other" };
  return { type: "text", text, message: typeof messageId === "string" ? messageId : null };
}

function readEntry({ content, status }: Record<string, unknown>): PlanEntry {
  return {
    content: plainLine(typeof content === "string" ? content : "", titleCharacters),
    status: typeof status === "string" ? plainLine(status, 20) : "pending",
  };
}

function readCost(cost: unknown): AgentUpdate {
  const { amount, currency } = isRecord(cost) ? cost : {};
  const isDollars = currency === "USD" && typeof amount === "number" && amount >= 0;
  return isDollars ? { type: "cost", usd: amount } : { type: "other" };
}

/** Reads the health report. Codex ends a turn whose model request failed like any other turn, and reports the failure here. */
function readHealth(meta: unknown): AgentUpdate {
  const codex = isRecord(meta) ? meta["codex"] : undefined;
  const status = isRecord(codex) ? codex["threadStatus"] : undefined;
  if (!isRecord(status)) return { type: "other" };
  return { type: "health", isBroken: status["type"] === "systemError" };
}

/** Converts a content block of a call to text: the output of a tool, or the changed file. */
function describeContent({ type, content, path }: Record<string, unknown>): string {
  if (type === "diff") return typeof path === "string" ? `changed ${plainLine(path, 500)}` : "";
  const text = isRecord(content) && content["type"] === "text" ? content["text"] : undefined;
  return typeof text === "string" ? text : "";
}

/** Returns the raw output of a tool, for agents that do not show it as content. */
function textOf(output: unknown): string {
  if (!isRecord(output)) return typeof output === "string" ? output : "";
  const names = ["output", "content", "formatted_output", "text", "message", "data"];
  const found = names.map((name) => output[name]).find((one) => typeof one === "string");
  return typeof found === "string" ? found : "";
}

/** Returns the files in the arguments of a call without locations. */
function pathsIn(input: unknown): string[] {
  if (!isRecord(input)) return [];
  const names = ["file_path", "abs_path", "path", "filePath", "notebook_path"];
  return names.flatMap((name) => (typeof input[name] === "string" ? [input[name]] : []));
}

function pathOf({ path }: Record<string, unknown>): string[] {
  return typeof path === "string" ? [path] : [];
}

function recordsIn(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.slice(0, maxItems).filter(isRecord) : [];
}
