import { readFileSync } from "node:fs";
import { posix } from "node:path";
import type { JsonObject } from "../../../source/json.ts";
import type { LuaValue } from "../../lua/lua-value.ts";
import {
  type AipModule,
  type Arguments,
  type AskHost,
  maybeTextOf,
  optionsOf,
  type Several,
  textArgument,
  textOption,
  textsOf,
  wantsExtrusion,
} from "../arguments.ts";
import { changeFile } from "./change-file.ts";
import { applyPatch, type FailedHunk } from "./patch.ts";
import { cutOut, findElements, type TagElement } from "../tag.ts";
import { errorMessage } from "../../../error-message.ts";

/** `aip.udiffx`: changes to several files in the format of models. */
export const udiffx: AipModule = {
  apply_file_changes: applyFileChanges,
  load_files_context: loadFilesContext,
  file_changes_instruction: () =>
    readFileSync(new URL("./prompt/file-changes.md", import.meta.url), "utf8"),
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

/** The failure of a directive because of its hunks. */
class HunkFailure extends Error {
  readonly details: JsonObject;

  constructor(failed: readonly FailedHunk[], hunks: number) {
    super(`${failed.length} of ${hunks} hunks could not be applied.`);
    this.details = { error_hunks: failed.map((hunk) => ({ ...hunk })), total_count: hunks };
  }
}

function applyFileChanges(args: Arguments, ask: AskHost): LuaValue | Several {
  const content = textArgument(args, 1);
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
  const { file_path: own, to_path: to, from_path: from } = element.attributes;
  const file = own || to || from || "unknown";
  const missing = attributesOf(name).find((key) => (element.attributes[key] ?? "") === "");
  const kind = missing === undefined ? directives[name] : "Fail";
  try {
    if (missing !== undefined) throw new Error(`${name} expects the attribute ${missing}`);
    execute(ask, name, element, base);
    return { file_path: file, kind, success: true };
  } catch (error) {
    const message = errorMessage(error);
    const details = error instanceof HunkFailure ? error.details : {};
    return { file_path: file, kind, success: false, error_msg: message, ...details };
  }
}

function attributesOf(name: Directive): readonly string[] {
  return name === "FILE_RENAME" || name === "FILE_COPY" ? ["from_path", "to_path"] : ["file_path"];
}

function execute(ask: AskHost, name: Directive, element: TagElement, base: string): void {
  const at = (key: string): string => pathBelow(base, element.attributes[key] ?? "");
  const body = bodyOf(element.content);
  if (name === "FILE_NEW") writeNew(ask, at("file_path"), body);
  else if (name === "FILE_APPEND") {
    if (body === "") throw new Error(nothingChanged);
    ask("file.write", at("file_path"), body, "append");
  } else if (name === "FILE_PATCH") patchFile(ask, at("file_path"), body);
  else if (name === "FILE_DELETE") {
    if (ask("file.delete", at("file_path")) !== true) throw new Error("The file does not exist.");
  } else
    ask(name === "FILE_COPY" ? "file.copy" : "file.move", at("from_path"), at("to_path"), true);
}

/** Resolves a path below the folder of the changes, although scripts may write elsewhere in the workspace, too. */
function pathBelow(base: string, path: string): string {
  const folder = base.replace(/(?<=.)\/+$/, "");
  const isWhole = posix.isAbsolute(path);
  if (isWhole && (folder === "" || !posix.relative(folder, path).startsWith(".."))) return path;
  if (isWhole || posix.normalize(path).split("/")[0] === "..")
    throw new Error(`${path} leads out of the folder of the changes.`);
  return folder === "" ? path : `${folder}/${path}`;
}

const nothingChanged = "It changes nothing.";

function writeNew(ask: AskHost, path: string, content: string): void {
  changeFile(ask, path, (before) => {
    if (before === content) throw new Error(nothingChanged);
    return { content };
  });
}

/** Applies a patch. Keeps the matching hunks even when others fail. */
function patchFile(ask: AskHost, path: string, patch: string): void {
  const { content, failed, hunks } = changeFile(ask, path, (before = "") => {
    const result = applyPatch(before, patch);
    return { ...result, content: result.content === before ? undefined : result.content };
  });
  if (failed.length > 0) throw new HunkFailure(failed, hunks);
  if (hunks === 0) throw new Error("The patch has no hunks that change anything.");
  if (content === undefined) throw new Error(nothingChanged);
}

/** Returns the content of a directive without the code block around it. */
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
