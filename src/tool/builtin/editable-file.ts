import { CadreError } from "../../errors.ts";
import { isMemoryFile } from "../memory/agent-memory.ts";
import { confine, resolvePath } from "../path/path-confinement.ts";
import type { ToolCallDescription, ToolContext } from "../tool.ts";

/**
 * Returns the resolved path that a call may write.
 *
 * @throws CadreError `tool-failed` outside the workspace, or when the path leads elsewhere than when permission was given: a
 * symlink created in between must not transfer one file's permission to another.
 */
export function confineForWriting(
  path: string,
  context: ToolContext,
  call: ToolCallDescription,
): string {
  const { workspace, memory } = context;
  const isNote = isMemoryFile(resolvePath(path, workspace), memory);
  const roots = isNote && memory !== undefined ? [memory.folder] : [];
  const resolved = confine(path, { workspace, alsoReadable: roots });
  if (call.paths?.includes(resolved) === true) return resolved;
  throw new CadreError(
    "tool-failed",
    `${path} leads to ${resolved}, but led to ${call.paths?.join(", ") ?? "nowhere"} when permission was given. Call again.`,
  );
}

/** @throws CadreError `tool-failed` when this run has not read the file, or the file has changed since. */
export function requireSeen(path: string, hash: string, context: ToolContext): void {
  const seen = context.seenFiles.get(path);
  if (seen === hash) return;
  const why =
    seen === undefined ? "exists and was not read in this run" : "has changed since it was read";
  throw new CadreError("tool-failed", `${path} ${why}. Read it first, so that nothing is lost.`);
}
