import type { Cadre, CadreOptions, RunHandle, RunResult } from "../../src/index.ts";

/** The runs to execute, as JSON. */
export interface Execution {
  options: CadreOptions;
  start: { graphFile: string } | { agent: string; task?: string; budget?: { tokens: number } };
}

/** Starts the runs of an {@link Execution}, or resumes the remaining ones, until all have ended. Returns the root's result. */
export async function executeRuns(
  cadre: Cadre,
  command: "start" | "resume",
  { start }: Execution,
): Promise<RunResult | null> {
  try {
    const [root] = command === "resume" ? await cadre.resume() : [await begin(cadre, start)];
    const result = (await root?.result()) ?? null;
    await cadre.idle();
    return result;
  } finally {
    await cadre.close();
  }
}

async function begin(cadre: Cadre, start: Execution["start"]): Promise<RunHandle> {
  return "graphFile" in start ? await cadre.spawnGraph(start.graphFile) : await cadre.spawn(start);
}
