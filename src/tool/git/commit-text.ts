import type { CommitText } from "./commit-changes.ts";

/** The length that git's documentation suggests for the first line of a message, with some room. */
const titleLength = 72;

/** Returns the line of a commit message that names the run whose changes the commit has. */
export function runTrailer(id: string): string {
  return `Cadre-Run: ${id}`;
}

/** Returns the message of a commit with a run's changes. */
export function commitText(run: {
  id: string;
  agent: string;
  task: string;
  label?: string | null;
}): CommitText {
  const about = run.label ?? run.task.trim().split("\n", 1)[0] ?? "";
  const line = about.replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ").trim();
  const title = line.length > titleLength ? `${line.slice(0, titleLength - 1)}…` : line;
  const trailers = `${runTrailer(run.id)}\nCadre-Agent: ${run.agent}`;
  return { author: run.agent, message: `${title || "Changes of a run"}\n\n${trailers}` };
}
