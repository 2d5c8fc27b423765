import { join } from "node:path";
import { z } from "zod";
import { createFamilyScope, type SessionPort } from "../../delegate/tools/session-scope.ts";
import { CadreError } from "../../errors.ts";
import type { Run } from "../../run/run.ts";
import { closedObject } from "../../source/closed-object.ts";
import { isInside } from "../../source/file/real-path.ts";
import { capOutput } from "../../tool/output/output-cap.ts";
import { createTool, type Tool, type ToolContext, type ToolOutcome } from "../../tool/tool.ts";
import type { MergeReport, RunChanges } from "../run-changes.ts";
import { describeMergeReport } from "./describe-merge-report.ts";

/** The services behind the tools. */
export interface ChangeToolsPort extends SessionPort {
  changes: RunChanges;
}

const name = z
  .string()
  .min(1)
  .max(200)
  .describe("The id or label of a run that you started, directly or through others");
const readInput = closedObject({
  run: name,
  paths: z
    .array(z.string().min(1).max(4096))
    .max(100)
    .optional()
    .describe("Only these files or folders, relative to the root of the repository"),
});
const mergeInput = closedObject({
  runs: z.array(name).min(1).max(100),
  strategy: z
    .enum(["merge", "squash", "rebase", "patch"])
    .optional()
    .describe(
      "Default: merge. squash: one commit; rebase: each commit again; patch: changes without a commit",
    ),
  dryRun: z.boolean().optional().describe("Only report what would be merged, and what conflicts"),
});
const discardInput = closedObject({ run: name });

/**
 * Creates the tools with which a run merges or discards the changes that its descendants made in their own worktrees. They change
 * files like an edit, so the same permissions apply.
 */
export function createChangeTools(port: ChangeToolsPort): Tool[] {
  return [createReadTool(port), createMergeTool(port), createDiscardTool(port)];
}

function createReadTool(port: ChangeToolsPort): Tool {
  return createTool({
    name: "changes_read",
    description:
      "Shows, as a patch, the changes so far of a run that you started in its own git worktree.",
    access: "read",
    input: readInput,
    describe: ({ run }) => ({ title: `Read the changes of ${run}`, subject: run, paths: [] }),
    async execute({ run, paths }, context) {
      const { id } = await find(port, context, run);
      const { patch, branch, left } = await port.changes.read(id, paths);
      const rest =
        left === null ? "" : `Not in the patch: ${left.paths.join(", ")} in ${left.folder}.\n`;
      if (patch === "") return { text: `${rest}Nothing has changed on the branch ${branch}.` };
      return { text: await capOutput(rest + patch, context) };
    },
  });
}

function createMergeTool(port: ChangeToolsPort): Tool {
  return createTool({
    name: "changes_merge",
    description:
      "Merges the changes that ended runs made in their own git worktrees into your working folder and its branch, in the order with the fewest conflicts. Runs that conflict are left out and named with the files and who changed them. Merged worktrees are removed, except with patch.",
    access: "edit",
    comesAfter: true,
    input: mergeInput,
    describe: ({ runs, strategy = "merge", dryRun = false }) => ({
      title: `${dryRun ? "Try to merge" : "Merge"} the changes of ${runs.join(", ")} (${strategy})`,
      subject: runs.join(" "),
      paths: [],
    }),
    async execute({ runs, strategy = "merge", dryRun = false }, context) {
      const found = await Promise.all(runs.map(async (run) => await find(port, context, run)));
      const ids = found.map(({ id }) => id);
      const tried = await port.changes.merge(ids, { strategy, dryRun: true });
      requireOwnFiles(tried, context);
      const report = dryRun ? tried : await port.changes.merge(ids, { strategy });
      return await toOutcome(report, { dryRun, context });
    },
  });
}

function createDiscardTool(port: ChangeToolsPort): Tool {
  return createTool({
    name: "changes_discard",
    description:
      "Deletes the git worktree and branch of an ended run that you started, with all its changes.",
    access: "edit",
    comesAfter: true,
    input: discardInput,
    describe: ({ run }) => ({ title: `Discard the changes of ${run}`, subject: run, paths: [] }),
    async execute({ run }, context) {
      const { id } = await find(port, context, run);
      const discarded = await port.changes.discard(id);
      const lines = discarded.map(({ id: of, commit, lost }) => {
        const rest = lost.length === 0 ? "" : ` ${lost.join(", ")} was in no commit.`;
        return `Discarded ${of}; they were ${commit}.${rest}`;
      });
      return {
        text: lines.join("\n"),
        output: discarded.map(({ id: of, commit }) => ({ id: of, commit })),
      };
    },
  });
}

/** Finds a descendant of the caller. */
async function find(port: ChangeToolsPort, context: ToolContext, run: string): Promise<Run> {
  return await createFamilyScope(port, context).find(run);
}

/** Refuses files that the caller could not edit either: files outside its folder, and files that raise rights. */
function requireOwnFiles(
  { into, files, controlFiles, merged }: MergeReport,
  { workspace }: ToolContext,
): void {
  const byUser = `Let the user do it: \`cadre merge ${merged.join(" ")}\`.`;
  const outside = files.find((file) => !isInside(join(into, file), workspace));
  if (outside !== undefined) {
    const message = `Expected changes of files in your working folder ${workspace}; ${into}/${outside} is outside of it. ${byUser}`;
    throw new CadreError("delegation-denied", message);
  }
  const [control] = controlFiles;
  if (control === undefined) return;
  const message = `${control} configures agents, editors or git, which an agent may not merge. ${byUser}`;
  throw new CadreError("delegation-denied", message);
}

async function toOutcome(
  report: MergeReport,
  { dryRun, context }: { dryRun: boolean; context: ToolContext },
): Promise<ToolOutcome> {
  const { merged, conflicts, files } = report;
  const text = await capOutput(describeMergeReport(report, dryRun), context);
  const output = JSON.parse(JSON.stringify({ merged, conflicts, files, dryRun }));
  return { text, output, ...(merged.length === 0 && { isError: true }) };
}
