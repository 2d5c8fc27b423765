import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProject, type Project } from "../../cli/command-line.ts";
import { openTerminal } from "../../cli/live-terminal.ts";

/** Blocks the process before its first module, and again when it loads a chunk of the library, until a file exists. */
const gates = `
import { existsSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
const hold = (file) => {
  while (!existsSync(file)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
};
registerHooks({
  load(url, context, next) {
    if (/\\/chunk\\/(library|host|chat)-.{8}\\.js$/.test(url)) {
      writeFileSync("is-held", "");
      hold("may-load");
    }
    return next(url, context);
  },
});
hold("may-start");
`;

function project(): Project {
  const fixture = createProject({ "script.yaml": "scripts:\n  - reply: { text: heard you }\n" });
  fixture.environment["NODE_OPTIONS"] = `--import=${fixture.write("gates.mjs", gates)}`;
  return fixture;
}

describe("the start of a conversation", () => {
  it("shows what was typed from the first moment before the library is loaded", async () => {
    const fixture = project();
    const open = (gate: string): void => writeFileSync(join(fixture.path, gate), "");
    const terminal = openTerminal(fixture, []);
    terminal.type("typed early");
    // The terminal echoes the keys, so they have arrived before the command starts.
    await terminal.shows("typed early");
    open("may-start");
    await terminal.shows(/^typed early\s+─+\nopening …$/m);
    terminal.type(", and later\r");
    open("may-load");
    await terminal.shows(/> typed early, and later\s+heard you/);
    expect(existsSync(join(fixture.path, "is-held"))).toBe(true);
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(0);
  });
});
