import { omitUndefined } from "../../omit-undefined.ts";
import type { CallPermission } from "../../run/permission.ts";
import { CadreError } from "../../errors.ts";
import { writeAtomically } from "../../tool/control-file/atomic-write.ts";
import { confine, displayPath } from "../../tool/path/path-confinement.ts";
import { readWhole, sha256, statusOf } from "../../tool/path/regular-file.ts";
import { familyFolder, type ToolOutcome, type TouchedFile } from "../../tool/tool.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { refuseRunnerCall } from "./permission-request.ts";

/** Lines of a file. */
export interface FileLines {
  path: string;
  /** The first line, counted from 1. Default 1. */
  from?: number;
  /** Default: all. */
  count?: number;
}

/**
 * Reads a file for a runner; `undefined` when it does not exist.
 *
 * @throws CadreError `tool-failed` outside the workspace and the family's outputs, without permission, and for anything that is
 * not a file.
 */
export async function readForRunner(
  run: RunContext,
  key: string,
  { path, from = 1, count }: FileLines,
): Promise<string | undefined> {
  const alsoReadable = [familyFolder(run)];
  const file = confine(path, { workspace: run.spec.workspace, alsoReadable });
  await checkPermission(run, key, { file, kind: "read" });
  if ((await statusOf(file)) === undefined) return undefined;
  const text = (await readWhole(file)).content.toString("utf8");
  if (from <= 1 && count === undefined) return text;
  const lines = text.split("\n");
  const first = Math.max(from, 1) - 1;
  return lines.slice(first, count === undefined ? undefined : first + count).join("\n");
}

/** The step keys of a write, and whether the runner already asked about this file in the same call. */
export interface WriteKeys {
  question: string;
  nextKey: () => string;
  isPermitted: (file: string) => boolean;
}

/**
 * Writes a file for a runner, as a step of its run.
 *
 * @throws CadreError as {@link readForRunner}.
 */
export async function writeForRunner(
  run: RunContext,
  { question, nextKey, isPermitted }: WriteKeys,
  { path, content }: { path: string; content: string },
): Promise<void> {
  const { spec, steps, budget } = run;
  const file = confine(path, spec);
  const permission = isPermitted(file)
    ? undefined
    : await checkPermission(run, question, { file, kind: "edit" });
  budget.callTool();
  const key = nextKey();
  const title = `Write ${displayPath(file, spec.workspace)}`;
  const call = { tool: "Write" } as const;
  const step = { key, kind: "tool", title, hasEffect: true, call } as const;
  await steps.do<ToolOutcome>({ ...step, ...omitUndefined({ permission }) }, async () => {
    if (confine(path, spec) !== file)
      throw failed(`${path} no longer leads to the place for which permission was requested.`);
    await writeAtomically(file, content);
    const written: TouchedFile = { path: file, hash: sha256(content), change: "written" };
    return { value: { text: `${Buffer.byteLength(content)} bytes.`, files: [written] } };
  });
}

/** Reads the files that a runner reports as changed. Files outside the workspace are not read. */
export async function readChangedFiles(
  { spec }: Pick<RunContext, "spec">,
  paths: readonly string[],
): Promise<TouchedFile[]> {
  const files: TouchedFile[] = [];
  for (const path of paths) {
    try {
      const file = confine(path, spec);
      const isThere = (await statusOf(file)) !== undefined;
      const hash = isThere ? (await readWhole(file)).hash : null;
      files.push({ path: file, hash, change: "written" });
    } catch (error) {
      // A folder, a device or an unreachable path is not a file of this run.
      if (!(error instanceof CadreError)) throw error;
    }
  }
  return files;
}

/** Returns the permission to record with the call. */
async function checkPermission(
  run: RunContext,
  key: string,
  { file, kind }: { file: string; kind: "read" | "edit" },
): Promise<CallPermission | undefined> {
  const verb = kind === "read" ? "Read" : "Write";
  const title = `${verb} ${displayPath(file, run.spec.workspace)}`;
  const call = { id: key, kind, title, paths: [file] };
  let noted: CallPermission | undefined;
  const note = (permission: CallPermission): void => void (noted = permission);
  const reason = await refuseRunnerCall(run, key, { call, note });
  if (reason !== undefined) throw failed(`Permission denied for ${title}: ${reason}.`);
  return noted;
}

function failed(message: string): CadreError {
  return new CadreError("tool-failed", message);
}
