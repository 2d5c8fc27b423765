#!/usr/bin/env node
import { existsSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { describeOldNode } from "../node-version.ts";

// The first that an older Node does, before it meets what it does not know.
const problem = describeOldNode();
if (problem !== undefined) {
  console.error(`cadre: ${problem}`);
  process.exit(2);
}
// What is imported below is compiled once and not at every start. Not in the shared temporary folder, which is Node's
// default: what is cached there could be anybody's code.
const { XDG_CACHE_HOME: cache = join(homedir(), ".cache") } = process.env;
// A relative path would lead into the working folder, where it could be anybody's too; a home that is not there is not made.
if (isAbsolute(cache) && existsSync(homedir())) module.enableCompileCache(join(cache, "cadre"));
const { main } = await import("./command-line.ts");
process.exit(await main(process.argv.slice(2)));
