#!/usr/bin/env node
import { existsSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

// The first that an older Node does, before it meets what it does not know.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  console.error(
    `cadre: Expected Node 24.15 or newer; this is ${process.versions.node}, at ${process.execPath}.`,
  );
  process.exit(2);
}
// What is imported below is compiled once and not at every start. Not in the shared temporary folder, which is Node's
// default: what is cached there could be anybody's code.
const { XDG_CACHE_HOME: cache = join(homedir(), ".cache") } = process.env;
// A relative path would lead into the working folder, where it could be anybody's too; a home that is not there is not made.
if (isAbsolute(cache) && existsSync(homedir())) module.enableCompileCache(join(cache, "cadre"));
const { main } = await import("./command-line.ts");
process.exit(await main(process.argv.slice(2)));
