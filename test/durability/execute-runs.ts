import type { Cadre, CadreOptions, RunHandle, RunResult } from "../../src/index.ts";

/** The runs to execute, as JSON. */
export interface ExecutionRequest {
  options: CadreOptions;
  start:
    | { graphFile: string }
    | { agent: string; task?: string; budget?: { tokens: number } }
    /** A conversation of these turns. */
    | { conversation: readonly string[] };
}

/** Starts the runs of an {@link ExecutionRequest}, or resumes the remaining ones, until all have ended. Returns the root's result. */
export async function executeRuns(
  cadre: Cadre,
  command: "start" | "resume",
  { start }: ExecutionRequest,
): Promise<RunResult | null> {
  try {
    if ("conversation" in start) return await continueConversation(cadre, start.conversation);
    const [root] = command === "resume" ? await cadre.resume() : [await begin(cadre, start)];
    const result = (await root?.result()) ?? null;
    await cadre.idle();
    return result;
  } finally {
    await cadre.close();
  }
}

/** Completes the unfinished turn, and continues until the conversation has all `texts`. */
async function continueConversation(
  cadre: Cadre,
  texts: readonly string[],
): Promise<RunResult | null> {
  for (const run of await cadre.resume()) await run.result();
  for (;;) {
    const [conversation] = await cadre.conversations();
    const { turns = 0, lastRunId = "" } = conversation ?? {};
    const task = texts[turns];
    const last = turns === 0 ? undefined : await cadre.find(lastRunId);
    if (task === undefined) return (await last?.result()) ?? null;
    const run = last === undefined ? cadre.spawn({ agent: "main", task }) : last.continue(task);
    await (await run).result();
  }
}

async function begin(
  cadre: Cadre,
  start: Exclude<ExecutionRequest["start"], { conversation: unknown }>,
): Promise<RunHandle> {
  return "graphFile" in start ? await cadre.spawnGraph(start.graphFile) : await cadre.spawn(start);
}
