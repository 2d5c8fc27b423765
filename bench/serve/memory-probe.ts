import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Loaded before a server (`--import`, with `--expose-gc`). At SIGUSR2 it writes `memory.json` into the server's working folder. */
let samples = 0;
process.on("SIGUSR2", () => {
  samples += 1;
  const now = process.memoryUsage();
  // Rarely, so that the process behaves as it would without the probe.
  const isCollected = samples % 10 === 0;
  if (isCollected) globalThis.gc?.();
  const path = join(process.cwd(), "memory.json");
  const live = isCollected ? { live: process.memoryUsage().heapUsed } : {};
  writeFileSync(`${path}.part`, JSON.stringify({ ...now, ...live }));
  renameSync(`${path}.part`, path);
});
