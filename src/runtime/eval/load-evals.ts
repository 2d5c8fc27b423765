import type { EvalReading } from "../../eval/read-evals.ts";
import { readEvals } from "../../eval/read-evals.ts";
import type { Cadre } from "../cadre.ts";

/** Reads and checks the eval files at `paths` (absolute) against the agents of `cadre`. */
export async function loadEvals(
  cadre: Pick<Cadre, "agents">,
  paths: readonly string[],
): Promise<EvalReading> {
  const { agents } = await cadre.agents();
  return await readEvals(paths, new Set(agents.map(({ name }) => name)));
}
