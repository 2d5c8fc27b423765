import type { Command } from "commander";
import { revealText } from "../terminal/clean-text.ts";
import { withRuns } from "../run/open-cadre.ts";
import { columnsOf, writeError, writeJson, writeLine } from "../terminal/output.ts";
import { createPaint, type Paint } from "../terminal/paint.ts";
import { describeLeftContent } from "../view/changes/left-content.ts";
import { unmergedRows } from "../view/changes/unmerged-runs.ts";
import { UsageError } from "../arguments/usage-error.ts";
import { fileRows } from "../view/changes/changed-files.ts";
import { describeRunArgument } from "../arguments/describe-run-argument.ts";

const example = `
Without a run it lists the ended runs whose changes are not merged or discarded. It leaves out changes that workers keep at a
remote.

Examples:
  cadre diff
  cadre diff last
  cadre diff 7sm10u1 src --stat
  cadre diff 7sm10u1 > changes.patch && git apply changes.patch`;

interface DiffFlags {
  stat?: boolean;
  json?: boolean;
}

/** `cadre diff`. */
export function defineDiff(command: Command): void {
  command
    .argument("[run]", `${describeRunArgument()} (default: lists the runs)`)
    .argument("[paths...]", "only these files and folders, relative to the root of the repository")
    .option("--stat", "list the files with the numbers of added and deleted lines")
    .option(
      "--json",
      "write JSON: { branch, base, files, patch, left }; without a run { runs: [run] }",
    )
    .addHelpText("after", example)
    .action(
      async (
        id: string | undefined,
        paths: string[],
        { stat = false, json = false }: DiffFlags,
      ) => {
        if (id === undefined) {
          if (stat) throw new UsageError("Expected a run with --stat, such as `last`.");
          return await listRuns(json);
        }
        const changes = await withRuns(async (cadre) => await cadre.changes.read(id, paths));
        if (json) return writeJson(changes);
        if (stat) for (const row of fileRows(changes.files)) writeLine(row);
        else writePatch(changes.patch);
        if (changes.left !== null) writeError(describeLeftContent({ id, ...changes.left }));
      },
    );
}

async function listRuns(json: boolean): Promise<void> {
  const runs = await withRuns(async (cadre) => await cadre.changes.list());
  if (json) return writeJson({ runs });
  if (runs.length === 0) writeError("No changes to merge.");
  else for (const row of unmergedRows(runs, columnsOf(process.stdout))) writeLine(row);
}

/** Writes a patch unchanged for `git apply`. On a terminal it is coloured, and control characters become escapes. */
function writePatch(patch: string): void {
  if (!process.stdout.isTTY) {
    process.stdout.write(patch);
    return;
  }
  const paint = createPaint(process.stdout);
  for (const line of patch.trimEnd().split("\n"))
    writeLine(paintLine(line.split("\t").map(revealText).join("\t"), paint));
}

function paintLine(line: string, paint: Paint): string {
  if (/^(diff |index |--- |\+\+\+ |new |deleted |old )/.test(line)) return paint("bold", line);
  if (line.startsWith("@@")) return paint("cyan", line);
  if (line.startsWith("+")) return paint("green", line);
  return line.startsWith("-") ? paint("red", line) : line;
}
