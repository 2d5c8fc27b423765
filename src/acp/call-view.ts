import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { resolve } from "node:path";

/** What an editor shows of a tool call. */
export interface CallView {
  title: string;
  kind: ToolKind;
  locations: ToolCallLocation[];
  /** The change of an edit, as far as its arguments tell. */
  content: ToolCallContent[];
}

const kinds: Readonly<Record<string, ToolKind>> = {
  Read: "read",
  LS: "read",
  DirectoryTree: "read",
  Write: "edit",
  Edit: "edit",
  Grep: "search",
  Glob: "search",
  WebSearch: "search",
  WebFetch: "fetch",
  Bash: "execute",
  Think: "think",
};

const longestTitle = 120;

/** Describes the call of `tool` with these arguments, in the folder `cwd`. */
export function viewCall(tool: string, input: unknown, cwd: string): CallView {
  const given: Readonly<Record<string, unknown>> =
    typeof input === "object" && input !== null ? { ...input } : {};
  const path = given["file_path"] ?? given["path"];
  const locations = typeof path === "string" ? [{ path: resolve(cwd, path) }] : [];
  return {
    title: titleOf(tool, given),
    kind: kinds[tool] ?? "other",
    locations,
    content: locations.flatMap((location) => changeOf(tool, given, location.path)),
  };
}

function titleOf(tool: string, given: Readonly<Record<string, unknown>>): string {
  const first = Object.values(given).find((value) => typeof value === "string");
  const task = given["prompt"] ?? given["task"];
  const texts = new Set([first, task].filter((text) => typeof text === "string"));
  const title = [tool, ...texts].join(" ").replaceAll(/\s+/g, " ");
  return title.length > longestTitle ? `${title.slice(0, longestTitle - 1)}…` : title;
}

function changeOf(
  tool: string,
  given: Readonly<Record<string, unknown>>,
  path: string,
): ToolCallContent[] {
  const { content, old_string: old, new_string: next } = given;
  if (tool === "Write" && typeof content === "string") {
    return [{ type: "diff", path, oldText: null, newText: content }];
  }
  if (tool !== "Edit" || typeof old !== "string" || typeof next !== "string") return [];
  return [{ type: "diff", path, oldText: old, newText: next }];
}
