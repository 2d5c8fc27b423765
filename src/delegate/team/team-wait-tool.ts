import { z } from "zod";
import type { RunEvent } from "../../run/event.ts";
import { closedObject } from "../../source/closed-object.ts";
import { orAbort } from "../../source/or-abort.ts";
import { createTool, type Tool, type ToolContext } from "../../tool/tool.ts";
import type { BoardTask } from "./board.ts";
import { isAtWork, openBoard, readMembers, type TeamPort } from "./team-port.ts";

/** The maximum wait, in seconds. */
const maxWaitSeconds = 3600;

/** Creates the `team_wait` tool. A waiting run has no slot. */
export function createTeamWaitTool(port: TeamPort): Tool {
  return createTool({
    name: "team_wait",
    description:
      "Waits until another member of your team sends you a message, or until a task of the board can be claimed. A message follows the answer of this tool.",
    access: "none",
    comesAfter: true,
    input: closedObject({
      for: z.enum(["message", "task", "any"]).default("any").describe("What to wait for."),
      seconds: z.number().positive().max(maxWaitSeconds).default(300).describe("The maximum wait."),
    }),
    describe: ({ for: wanted }) => ({
      title: `Wait for ${wanted === "any" ? "the team" : `a ${wanted} of the team`}`,
      subject: "",
      paths: [],
    }),
    async execute({ for: wanted, seconds }, context) {
      const news = await context.yieldWhile(waitForNews(port, context, { wanted, seconds }));
      return { text: news, output: { news } };
    },
  });
}

interface Wait {
  wanted: "message" | "task" | "any";
  seconds: number;
}

/** Resolves with the news. A timeout is an answer, not an error. */
async function waitForNews(port: TeamPort, context: ToolContext, wait: Wait): Promise<string> {
  const { registry, clock } = port;
  const { caller, signal } = context;
  const { rootId } = caller.spec;
  let changed = Promise.withResolvers<void>();
  let isLate = false;
  const wake = (): void => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  const stopListening = registry.subscribe((event, run) => {
    if (run.rootId === rootId && mayBeNews(event)) wake();
  });
  const stopClock = clock.schedule(wait.seconds * 1000, () => {
    isLate = true;
    wake();
  });
  try {
    for (;;) {
      const next = changed.promise;
      const news = await findNews(port, context, wait.wanted);
      if (news !== undefined) return news;
      if (isLate) return `Nothing arrived within ${wait.seconds} seconds.`;
      await orAbort(next, signal);
    }
  } finally {
    stopListening();
    stopClock();
  }
}

function mayBeNews({ type }: RunEvent): boolean {
  return type === "message-queued" || type === "board-changed" || type === "run-finished";
}

async function findNews(
  port: TeamPort,
  context: ToolContext,
  wanted: Wait["wanted"],
): Promise<string | undefined> {
  const { registry } = port;
  const { spec } = context.caller;
  if (wanted !== "task" && (await hasMessage(port, spec.id))) return "A message arrived.";
  const { board } = await openBoard(port, context);
  const [free] = board.free();
  if (wanted !== "message" && free !== undefined) {
    return `Task ${free.id} is free: ${free.title}. Claim it with board_claim.`;
  }
  if (wanted === "task" && hasEnded(board.tasks())) return "All tasks have ended.";
  const members = await readMembers(registry, spec);
  const isAlone = !members.some((run) => run.id !== spec.id && isAtWork(run));
  return isAlone ? "No other member of your team is active." : undefined;
}

function hasEnded(tasks: readonly BoardTask[]): boolean {
  return tasks.length > 0 && tasks.every(({ status }) => status === "done" || status === "failed");
}

/** Reports whether the run has an unread message. */
async function hasMessage({ registry }: TeamPort, runId: string): Promise<boolean> {
  const unread = new Set<string>();
  for (const event of await registry.events(runId)) {
    if (event.type === "message-queued") unread.add(event.message.id);
    if (event.type === "messages-delivered") for (const { id } of event.messages) unread.delete(id);
  }
  return unread.size > 0;
}
