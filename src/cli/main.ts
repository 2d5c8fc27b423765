#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

// What is imported below is compiled once and not at every start. Not in the shared temporary folder, which is Node's
// default: what is cached there could be anybody's code.
const { XDG_CACHE_HOME: cache = join(homedir(), ".cache") } = process.env;
enableCompileCache(join(cache, "cadre"));
const { main } = await import("./command-line.ts");
process.exit(await main(process.argv.slice(2)));
