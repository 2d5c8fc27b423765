import { readFileSync } from "node:fs";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import type { LuaValue } from "../lua-value.ts";
import {
  type AipModule,
  type Arguments,
  type AskHost,
  maybeTextOf,
  optionsOf,
  type Several,
  textOf,
  textOption,
  textsOf,
  wantsExtrusion,
} from "./arguments.ts";
import { contentOf } from "./file-content.ts";
import { applyPatch, type FailedHunk } from "./patch.ts";
import { cutOut, findElements, type TagElement } from "./tag.ts";

/** `aip.udiffx`: changes of several files as models write them. */
export const udiffx: AipModule = {
  apply_file_changes: applyFileChanges,
  load_files_context: loadFilesContext,
  file_changes_instruction: () =>
    readFileSync(new URL("../prompt/file-changes.md", import.meta.url), "utf8"),
};

const directives = {
  FILE_NEW: "New",
  FILE_PATCH: "Patch",
  FILE_APPEND: "Append",
  FILE_RENAME: "Rename",
  FILE_COPY: "Copy",
  FILE_DELETE: "Delete",
} as const;

type Directive = keyof typeof directives;

/** What a directive fails with. */
class HunkFailure extends Error {
  readonly hunks: FailedHunk[];

  constructor(message: string, hunks: FailedHunk[]) {
    super(message);
    this.hunks = hunks;
  }
}

function applyFileChanges(args: Arguments, ask: AskHost): LuaValue | Several {
  const content = textOf(args, 1);
  const base = maybeTextOf(args, 2) ?? "";
  const [envelope] = findElements(content, ["FILE_CHANGES"]);
  const elements = findElements(envelope?.content ?? "", Object.keys(directives));
  const items = elements.map((element) => applyDirective(ask, element, base));
  const failures = items.filter((item) => item["success"] !== true).length;
  const status = {
    success: failures === 0,
    total_count: items.length,
    success_count: items.length - failures,
    fail_count: failures,
    items,
  };
  if (!wantsExtrusion(args, optionsOf(args, 3))) return status;
  return { several: [status, envelope === undefined ? content : cutOut(content, [envelope])] };
}

function applyDirective(ask: AskHost, element: TagElement, base: string): JsonObject {
  const name = element.tag as Directive;
  const kind = directives[name];
  const { attributes } = element;
  const path = attributes["file_path"] ?? attributes["to_path"] ?? "";
  try {
    if (path === "") throw new Error(`${name} expects the attribute file_path`);
    execute(ask, name, element, base);
    return { file_path: path, kind, success: true };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const hunks = error instanceof HunkFailure ? error.hunks : [];
    const details = hunks.length === 0 ? {} : { error_hunks: hunks as unknown as JsonValue };
    return { file_path: path, kind, success: false, error_msg: message, ...details };
  }
}

function execute(ask: AskHost, name: Directive, element: TagElement, base: string): void {
  const { attributes } = element;
  const at = (key: string): string => {
    const path = attributes[key];
    if (path === undefined || path === "") throw new Error(`${name} expects the attribute ${key}`);
    return base === "" ? path : `${base.replace(/\/+$/, "")}/${path}`;
  };
  const body = bodyOf(element.content);
  if (name === "FILE_NEW") ask("file.write", at("file_path"), body, "replace");
  else if (name === "FILE_APPEND") ask("file.write", at("file_path"), body, "append");
  else if (name === "FILE_PATCH") patchFile(ask, at("file_path"), body);
  else if (name === "FILE_DELETE") {
    if (ask("file.delete", at("file_path")) !== true) throw new Error("The file does not exist.");
  } else
    ask(name === "FILE_COPY" ? "file.copy" : "file.move", at("from_path"), at("to_path"), false);
}

function patchFile(ask: AskHost, path: string, patch: string): void {
  const before = contentOf(ask, path);
  const { content, failed, hunks } = applyPatch(before, patch);
  if (failed.length > 0)
    throw new HunkFailure(`${failed.length} of ${hunks} hunks could not be applied.`, failed);
  if (hunks === 0) throw new Error("The patch has no hunks.");
  ask("file.write", path, content, "replace");
}

/** The content of a directive, without the block of code around it. */
function bodyOf(content: string): string {
  const lines = content
    .replace(/^\r?\n/, "")
    .trimEnd()
    .split("\n");
  const ticks = /^`{3,}/.exec(lines[0] ?? "")?.[0];
  if (ticks === undefined) return content.replace(/^\r?\n/, "");
  const end = lines.at(-1)?.startsWith(ticks) === true ? -1 : undefined;
  const inner = lines.slice(1, end);
  return inner.length === 0 ? "" : `${inner.join("\n")}\n`;
}

function loadFilesContext(args: Arguments, ask: AskHost): LuaValue {
  const options = optionsOf(args, 2);
  const base = textOption(args, options, "base_dir");
  const isAbsolute = options["absolute"] === true;
  const found = ask("file.list", textsOf(args, 1), {
    base: base ?? null,
    isAbsolute,
  }) as JsonObject[];
  const parts = found.map((info) => {
    const { content } = ask("file.load", info["path"], base) as { content: string };
    const end = content.endsWith("\n") ? "" : "\n";
    return `<FILE_CONTENT path="${info["path"] as string}">\n${content}${end}</FILE_CONTENT>\n`;
  });
  return parts.length === 0 ? undefined : parts.join("\n");
}
