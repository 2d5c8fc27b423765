import { cleanText } from "../../terminal/clean-text.ts";

/** Says that the worktree of a deleted run was kept. */
export function describeKeptWorktree(path: string): string {
  return `Kept ${cleanText(path)}: it has content that is in no repository.`;
}
