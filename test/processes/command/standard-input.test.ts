import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { createProject, follow, node, type Project } from "../../cli/command-line.ts";
import { commandFile, start } from "../../cli/start-command.ts";

const project = (): Project =>
  createProject({ "script.yaml": 'scripts: [{ reply: { text: "did {{task}}" } }]\n' });

describe.concurrent("standard input of `cadre run`", () => {
  it("that stays open and empty is ignored, with a message", async () => {
    const { child, printed, ended } = start(project(), ["run", "x"], null);
    await printed("Standard input is open but has no data; continuing without it.");
    expect((await ended).stdout).toBe("did x\n");
    child.stdin?.destroy();
  });

  it("of a slow command is awaited, with a message", async () => {
    const fixture = project();
    const words = ["-c", 'cat | "$0" "$@"', node, commandFile, "run", "x"];
    const child = spawn("sh", words, { cwd: fixture.path, env: fixture.environment });
    const { printed, ended } = follow(child, null);
    await printed("Waiting for standard input.");
    child.stdin.end("late");
    expect((await ended).stdout).toBe("did x\n\nlate\n");
  });
});
