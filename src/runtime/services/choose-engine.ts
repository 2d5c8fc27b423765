import type { EngineName } from "../../config/config.ts";
import type { CreateEngine, Engine, EngineParts } from "../../engine/engine.ts";
import { requireEngine } from "../option/require-engine.ts";

/** The engine that executes the runs of one Cadre. */
export interface ChosenEngine {
  /** Wraps the built-in engine. Absent: the built-in one is used as it is. */
  create?: CreateEngine;
  /** Whether this process executes the runs that it creates. */
  executes: boolean;
}

/**
 * Finds the engine that the options or the configuration name. A Cadre that only records runs leaves their execution to
 * `Cadre.resume`.
 */
export async function findEngine(
  {
    engine,
    executes = true,
  }: {
    engine?: CreateEngine | EngineName | undefined;
    executes?: boolean | undefined;
  },
  configured: EngineName,
): Promise<ChosenEngine> {
  if (typeof engine === "function") {
    return { create: engine, executes: engine.executes ?? executes };
  }
  if (!executes || (engine ?? configured) === "local") return { executes };
  const { dbos } = await import("../../engine/dispatch/dbos/dbos.ts");
  return { create: dbos(), executes: false };
}

/** Creates the chosen engine. */
export async function createChosenEngine(
  { create }: ChosenEngine,
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
