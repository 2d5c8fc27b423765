// The tool calls of one reply: permission, order and outcome.

import type { ToolOutcome } from "../../tool/tool.ts";
import { type CallPart, callTool, planCall, type PlannedCall, type Toolbox } from "./call-tool.ts";
import { onSettled } from "../../on-settled.ts";
import type { RunContext } from "../run-context/run-context.ts";

/**
 * Executes the calls of one reply and returns their outcomes in the same order. Calls run concurrently, except that a call waits
 * for earlier calls that touch the same file or change the files it reads, and a call about other calls waits for all of them.
 */
export async function executeCalls(
  run: RunContext,
  toolbox: Toolbox,
  parts: readonly CallPart[],
  turn: number,
): Promise<ToolOutcome[]> {
  const resources = { tools: toolbox.tools, workspace: run.spec.workspace };
  const key = `${run.prefix}tool/${turn}`;
  const planned = parts.map((part, index) => planCall(part, `${key}/${index}`, resources));
  const running: Promise<ToolOutcome>[] = [];
  let open = parts.length;
  // The run waits for its calls, so the last busy call uses the run's own part of the slot.
  run.slot.fork(open - 1);
  for (const [index, call] of planned.entries()) {
    const earlier = mayWait(call)
      ? running.filter((_, other) => conflicts(planned[other], call))
      : [];
    running[index] = execute(call, earlier);
  }

  function execute(
    call: PlannedCall,
    earlier: readonly Promise<ToolOutcome>[],
  ): Promise<ToolOutcome> {
    const calling =
      earlier.length > 0
        ? run.slot.yieldWhile(Promise.all(earlier)).then(() => callTool(run, toolbox, call))
        : callTool(run, toolbox, call);
    return onSettled(calling, () => {
      open -= 1;
      if (open > 0) run.slot.leave();
    });
  }

  // Wait for all calls, so that none is still running when the failure of one ends the run.
  const settled = await Promise.allSettled(running);
  return settled.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}

/** Reports whether the call can conflict with an earlier one. Calls of a fan-out need no comparison with each other. */
function mayWait(call: PlannedCall): boolean {
  return !("problem" in call) && (call.tool.comesAfter === true || !isFree(call));
}

/** Reports whether `later` must wait for `earlier`, a call of the same reply. */
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

/** Reports whether a tool neither reads nor changes the workspace. */
function isFree({ tool }: { tool: { access: string } }): boolean {
  return tool.access === "delegate" || tool.access === "network" || tool.access === "none";
}

/** Reports whether any path equals or contains one of the others. */
function overlap(left: readonly string[], right: readonly string[]): boolean {
  const isInside = (path: string, folder: string): boolean =>
    path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
  return left.some((one) => right.some((other) => isInside(one, other) || isInside(other, one)));
}
