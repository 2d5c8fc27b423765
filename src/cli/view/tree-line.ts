import { cleanLine } from "../terminal/clean-text.ts";
import { formatCost, formatCount, formatDuration, formatNumberOf } from "./format-value.ts";
import type { Paint, Style } from "../terminal/paint.ts";
import { resultLine } from "./result-line.ts";
import { nameAwaited, noteRun } from "./run-notes.ts";
import { describeFolded, type TreeRow } from "./run-tree.ts";
import { cutText, padText, textWidth } from "../terminal/text-width.ts";
import { nameFlags } from "../arguments/name-flags.ts";
import type { Run, RunOverview, RunStatus } from "../../host.ts";

/** Options of {@link formatTreeRow}. */
export interface TreeLineOptions {
  /** The columns of the terminal; with `Infinity`, nothing is cut or aligned. */
  columns: number;
  /** The current time in epoch milliseconds, for the times of active runs. */
  now: number;
  paint: Paint;
  /** The styles of agents' names, by agent. Default: bold. */
  styles?: ReadonlyMap<string, Style>;
  /** Returns the latest text of a run since its last event. */
  lastText?: (runId: string) => string | undefined;
  /** Finds runs that others depend on. */
  find?: (runId: string) => Run | undefined;
  /** The tree stands in its conversation: what the runs continue is not noted. Default false. */
  inConversation?: boolean;
}

const marks: Readonly<Record<RunStatus, { glyph: string; style: Style }>> = {
  queued: { glyph: "○", style: "dim" },
  waiting: { glyph: "○", style: "dim" },
  running: { glyph: "●", style: "cyan" },
  "awaiting-approval": { glyph: "?", style: "yellow" },
  succeeded: { glyph: "✓", style: "green" },
  failed: { glyph: "✗", style: "red" },
  cancelled: { glyph: "■", style: "yellow" },
  "timed-out": { glyph: "✗", style: "red" },
};

/** The number of columns below which only the time stands beside the activity. */
const narrow = 60;

/** Formats one row as a line of the terminal. */
export function formatTreeRow(row: TreeRow, options: TreeLineOptions): string {
  const { columns, paint } = options;
  if ("folded" in row)
    return paint("dim", cutText(row.branch + describeFolded(row.folded), columns));
  const { branch, run, task } = row;
  const { glyph, style } = marks[run.status];
  const numbers = describeNumbers(run, options);
  const name =
    task === undefined ? runName(run) : `${cleanLine(run.agent)} (${nameRow(run, task)})`;
  const { continues: _, ...turn } = run;
  const noted = options.inConversation === true ? turn : run;
  const notes = noteRun(noted).map((note) => `[${note}] `);
  const doing = cleanLine(notes.join("") + describeDoing(run, options));
  const room = columns - textWidth(branch) - 2;
  if (!Number.isFinite(room)) {
    return `${branch}${glyph} ${name}  ${doing}  (${numbers})`;
  }
  const left = Math.max(0, room - textWidth(numbers) - 2);
  const shownName = cutText(name, left);
  const shownDoing = cutText(`  ${doing}`, left - textWidth(shownName));
  const text = padText(shownName + shownDoing, left).slice(shownName.length);
  return `${paint("dim", branch)}${paint(style, glyph)} ${paint(options.styles?.get(run.agent) ?? "bold", shownName)}${text}  ${paint("dim", numbers)}`;
}

/** Names a run by its label and the words of its task that distinguish it from its siblings. */
function nameRow({ label }: Run, task: string): string {
  return [label ?? "", task]
    .filter((part) => part !== "")
    .map(cleanLine)
    .join(": ");
}

/** Returns `agent`, or `agent (label)`. */
export function runName({ agent, label }: Pick<Run, "agent" | "label">): string {
  return cleanLine(label === null ? agent : `${agent} (${label})`);
}

/** Returns the title of a run in lists, or else its task. */
export function titleOf({ title, task }: Pick<Run, "title" | "task">): string {
  return title ?? task;
}

/**
 * Returns the time until which an active run is counted: `now`, or its last event when its family is one of `left`, the roots
 * whose processes are gone.
 */
export function countedUntil(run: Run, left: ReadonlySet<string>, now: number): number {
  return left.has(run.rootId) ? run.lastEventAt : now;
}

/** Returns the run's duration so far in milliseconds. Allows for a wall clock that was set back since the last event. */
export function elapsedOf(run: Run, now: number): number {
  if (run.result !== null) return run.result.durationMs;
  if (run.status === "waiting") return 0;
  return (run.elapsedMs ?? 0) + Math.max(0, now - run.lastEventAt);
}

function describeDoing(run: Run, { lastText, find = () => undefined }: TreeLineOptions): string {
  switch (run.status) {
    case "queued":
      return "queued";
    case "waiting":
      return lastText?.(run.id) ?? `waiting for ${nameAwaited(run, find) || "its turn"}`;
    case "running":
      return lastText?.(run.id) ?? run.activity ?? "";
    case "awaiting-approval":
      return `needs your approval: ${run.approval?.title ?? ""}`;
    case "succeeded":
      return run.result === null ? "" : resultLine(run.result);
    case "failed":
    case "cancelled":
    case "timed-out":
      return `${run.status}: ${nameFlags(run.result?.failure?.message ?? "")}`;
  }
}

function describeNumbers(run: RunOverview, { columns, now }: TreeLineOptions): string {
  const time = formatDuration(elapsedOf(run, now));
  if (columns < narrow || run.turns === 0) return time;
  const tokens = formatCount(run.usage.inputTokens + run.usage.outputTokens);
  const cost = run.cost === null ? "$?" : formatCost(run.cost);
  const runs = run.runs === 1 ? "" : `${run.runs} runs `;
  return `${runs}${formatNumberOf(run.turns, "turn")} ${tokens} tok ${cost} ${time}`;
}
