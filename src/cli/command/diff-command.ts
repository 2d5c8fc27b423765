import type { Command } from "commander";
import { revealText } from "../terminal/clean-text.ts";
import { withRuns } from "../run/open-cadre.ts";
import { writeJson, writeLine } from "../terminal/output.ts";
import { createPaint, type Paint } from "../terminal/paint.ts";
import { fileRows } from "../view/changed-files.ts";
import { describeRunArgument } from "../arguments/describe-run-argument.ts";

const example = `
Examples:
  cadre diff last
  cadre diff 7sm10u1 src --stat
  cadre diff 7sm10u1 > changes.patch && git apply changes.patch`;

/** `cadre diff`. */
export function defineDiff(command: Command): void {
  command
    .argument("<run>", describeRunArgument())
    .argument("[paths...]", "only these files and folders, relative to the root of the repository")
    .option("--stat", "list the files with the numbers of added and deleted lines")
    .option("--json", "write JSON: { branch, base, files, patch }")
    .addHelpText("after", example)
    .action(
      async (id: string, paths: string[], { stat, json }: { stat?: boolean; json?: boolean }) => {
        const changes = await withRuns(async (cadre) => await cadre.changes.read(id, paths));
        if (json === true) writeJson(changes);
        else if (stat === true) for (const row of fileRows(changes.files)) writeLine(row);
        else writePatch(changes.patch);
      },
    );
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
