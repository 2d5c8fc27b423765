import { foldersOf } from "./agent-folder.ts";
import type { AgentFormat } from "./agent.ts";

/** The format of a definition file: what its folder says, otherwise Cadre's own, or a program by its extension. */
export function formatOf(path: string): AgentFormat {
  if (/\.m?[jt]s$/.test(path)) return "program";
  const folder = foldersOf(path).find((one) => one.extensions.includes(".md"));
  return folder?.format ?? "cadre";
}
