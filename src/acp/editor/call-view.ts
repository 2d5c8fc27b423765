import { relative, resolve } from "node:path";
import { readCurrentText } from "./current-text.ts";
import { plainLine } from "../../host.ts";

/** The view of a tool call in an editor. */
export interface CallView {
  /** Unique in the session. */
  id: string;
  tool: string;
  title: string;
  kind: CallKind;
  /** The absolute paths of the files that the call concerns. */
  paths: string[];
  input: unknown;
  /** The change of an edit, as far as its arguments tell. */
  content: CallContent[];
  /** The command line, for a call that executes one. */
  command?: string;
  /** The call that started the sub-agent which makes this call. */
  parentId?: string | undefined;
}

/** A part of a call's view. */
export type CallContent = { type: "text"; text: string } | ({ type: "change" } & FileChange);

/** The change of a file or of a part of it. */
export interface FileChange {
  /** An absolute path. */
  path: string;
  /** `null` for a new file; `undefined` when unknown. */
  before: string | null | undefined;
  after: string;
}

type CallKind = "read" | "edit" | "search" | "fetch" | "execute" | "think" | "other";

const kinds: Readonly<Record<string, CallKind>> = {
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

const maxTitleLength = 120;

/** A call to describe. */
export interface RequestedCall {
  id: string;
  tool: string;
  input: unknown;
  parentId?: string | undefined;
}

/** Describes a call in the folder `cwd`. `isPast`: the call was executed earlier. */
export function viewCall(call: RequestedCall, cwd: string, isPast = false): CallView {
  const { tool, input } = call;
  const given: Readonly<Record<string, unknown>> =
    typeof input === "object" && input !== null ? { ...input } : {};
  const path = given["file_path"] ?? given["path"];
  const paths = typeof path === "string" ? [resolve(cwd, path)] : [];
  const { command } = given;
  return {
    ...call,
    title: titleOf(tool, given),
    kind: kinds[tool] ?? "other",
    paths,
    content: paths.flatMap((one) => changeOf(tool, given, { path: one, cwd, isPast })),
    ...(tool === "Bash" && typeof command === "string" && { command }),
  };
}

function titleOf(tool: string, given: Readonly<Record<string, unknown>>): string {
  const first = Object.values(given).find((value) => typeof value === "string");
  const task = given["prompt"] ?? given["task"];
  const texts = new Set([first, task].filter((text) => typeof text === "string"));
  return plainLine([tool, ...texts].join(" "), maxTitleLength);
}

function changeOf(
  tool: string,
  { content, old_string: old, new_string: next }: Readonly<Record<string, unknown>>,
  { path, cwd, isPast }: { path: string; cwd: string; isPast: boolean },
): CallContent[] {
  if (tool === "Write" && typeof content === "string") {
    const isOutside = relative(cwd, path).startsWith("..");
    const before = isPast || isOutside ? undefined : readCurrentText(path);
    // If the file has that text, the call has just written it.
    return [{ type: "change", path, before: before === content ? null : before, after: content }];
  }
  if (tool !== "Edit" || typeof old !== "string" || typeof next !== "string") return [];
  return [{ type: "change", path, before: old, after: next }];
}
