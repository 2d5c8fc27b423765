import type { CreateEngine, Engine, EngineParts } from "../../engine/engine.ts";
import { requireEngine } from "../option/require-engine.ts";

/** Returns the built-in engine, or the one that the option makes of it. */
export async function chooseEngine(
  create: CreateEngine | undefined,
  parts: EngineParts,
): Promise<Engine> {
  if (create === undefined) return parts.local;
  try {
    const engine = await create(parts);
    requireEngine(engine);
    return engine;
  } catch (error) {
    await parts.local.close();
    throw error;
  }
}
