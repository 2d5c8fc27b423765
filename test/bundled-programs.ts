import { join } from "node:path";
import { rolldown } from "rolldown";
import { temporaryRoot } from "./temporary-folder.ts";

const fixtures = join(import.meta.dirname, "fixtures");

/**
 * The programs that tests start dozens of times. One file each: loading their libraries as hundreds of modules takes twice the CPU
 * time of a start.
 */
const programs = {
  "acp-agent-process": join(fixtures, "runner", "acp-agent-process.ts"),
  "mcp-server-process": join(fixtures, "mcp", "mcp-server-process.mjs"),
};

/** Bundles them in a folder. Returns its path. */
export async function buildPrograms(): Promise<string> {
  const dir = join(temporaryRoot, "programs");
  const bundle = await rolldown({ input: programs, platform: "node", logLevel: "warn" });
  const entryFileNames = "[name].mjs";
  const chunkFileNames = "[name]-[hash].mjs";
  await bundle.write({ dir, entryFileNames, chunkFileNames });
  return dir;
}
