import type { ToolOutcome } from "../tool/tool.ts";
import { type CallPart, callTool, planCall, type PlannedCall, type Toolbox } from "./call-tool.ts";
import type { Session } from "./session.ts";

/**
 * Executes the calls of one reply and returns their outcomes in the same order. Calls run at once, except that one
 * waits for the earlier ones it conflicts with: those that touch the same file, or that change something as it does; or for all
 * of them, where it is about what they do.
 */
export async function executeCalls(
  session: Session,
  toolbox: Toolbox,
  parts: readonly CallPart[],
  turn: number,
): Promise<ToolOutcome[]> {
  const place = { tools: toolbox.tools, workspace: session.spec.workspace };
  const key = `${session.prefix}tool/${turn}`;
  const planned = parts.map((part, index) => planCall(part, `${key}/${index}`, place));
  const running: Promise<ToolOutcome>[] = [];
  let open = parts.length;
  // The run itself waits for its calls, so the last call that is busy takes its part of the slot.
  session.slot.fork(open - 1);
  for (const [index, call] of planned.entries()) {
    const earlier = running.filter((_, other) => conflicts(planned[other], call));
    running[index] = execute(call, earlier);
  }

  async function execute(
    call: PlannedCall,
    earlier: readonly Promise<ToolOutcome>[],
  ): Promise<ToolOutcome> {
    try {
      if (earlier.length > 0) await session.slot.yieldWhile(Promise.all(earlier));
      session.signal.throwIfAborted();
      return await callTool(session, toolbox, call);
    } finally {
      open -= 1;
      if (open > 0) session.slot.leave();
    }
  }

  // All of them, so that none is still at work when a failure of another ends the run.
  const settled = await Promise.allSettled(running);
  return settled.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}

/** Whether `later` must wait for `earlier`, called in the same reply. */
function conflicts(earlier: PlannedCall | undefined, later: PlannedCall): boolean {
  if (earlier === undefined || "problem" in earlier || "problem" in later) return false;
  if (later.tool.comesAfter === true) return true;
  if (isFree(earlier) || isFree(later)) return false;
  const isRead = (call: typeof later): boolean => call.tool.access === "read";
  if (isRead(earlier) && isRead(later)) return false;
  const [left, right] = [earlier.call.paths, later.call.paths];
  // A command may touch anything.
  if (left === null || right === null) return true;
  return !(isRead(earlier) || isRead(later)) || overlap(left, right);
}

/** Neither reads nor changes the workspace itself. */
function isFree({ tool }: { tool: { access: string } }): boolean {
  return tool.access === "delegate" || tool.access === "network" || tool.access === "none";
}

/** Whether any path is another's, or inside it. */
function overlap(left: readonly string[], right: readonly string[]): boolean {
  const isInside = (path: string, folder: string): boolean =>
    path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
  return left.some((one) => right.some((other) => isInside(one, other) || isInside(other, one)));
}
