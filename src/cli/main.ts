#!/usr/bin/env node
import { homedir } from "node:os";
import { enableCompileCache } from "../compile-cache.ts";
import { describeOldNode } from "../node-version.ts";

// Runs before any import that an older Node cannot load.
const problem = describeOldNode();
if (problem !== undefined) {
  console.error(`cadre: ${problem}`);
  process.exit(2);
}
enableCompileCache({ home: homedir(), environment: process.env });
const { main } = await import("./command-line.ts");
process.exit(await main(process.argv.slice(2)));
