import { existsSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createBashTool } from "../../src/tool/builtin/bash.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { runningWith, uniqueSeconds } from "../fixtures/marked-processes.ts";
import { createToolFixture, type ToolFixture } from "../fixtures/tool-call.ts";

const quiet = ">/dev/null 2>&1";
const untilItRuns = "while [ ! -e started ]; do sleep 0.01; done";

/** Ways to start `./daemon` so that it outlives the command. */
const daemons: Readonly<Record<string, string>> = {
  "in the background": `./daemon & ${untilItRuns}`,
  "with nohup": `nohup ./daemon ${quiet} & ${untilItRuns}`,
  disowned: `./daemon & disown -a; ${untilItRuns}`,
  "in a session of its own": `setsid ./daemon ${quiet} & ${untilItRuns}`,
  "without an environment": `env -i setsid ./daemon ${quiet} & ${untilItRuns}`,
  "without the mark in its environment": `unset \${!CADRE_*}; setsid ./daemon ${quiet} & ${untilItRuns}`,
  "forked twice": `(setsid sh -c '(env -i ./daemon ${quiet} &)' &); ${untilItRuns}`,
  "as a daemon of perl": `perl -e 'fork and exit; setpgrp; fork and exit; %ENV = (); open STDOUT, ">", "/dev/null"; open STDERR, ">&STDOUT"; exec "./daemon"'; ${untilItRuns}`,
  "in the place of the shell": `exec env -i sh -c 'setsid ./daemon ${quiet} & ${untilItRuns}'`,
  "and is killed itself": `env -i setsid ./daemon ${quiet} & ${untilItRuns}; kill -9 $$`,
  "and kills its own process group": `env -i setsid ./daemon ${quiet} & ${untilItRuns}; kill -9 0`,
};

function createUnsandboxedTool(): Tool {
  return createBashTool({
    home: homedir(),
    environment: process.env,
    sandbox: { mode: "off" },
  });
}

/** Writes a script `daemon` into the workspace that reports when it runs. Returns the mark to find it. */
function writeDaemon({ workspace }: ToolFixture): string {
  const seconds = uniqueSeconds();
  const lines = ["#!/bin/sh", ": > started", `exec /bin/sleep ${seconds}`, ""];
  writeFileSync(join(workspace, "daemon"), lines.join("\n"), { mode: 0o755 });
  return seconds;
}

describe("a command without a sandbox", () => {
  test.each(Object.entries(daemons))("leaves no process that it starts %s", async (_, command) => {
    const fixture = createToolFixture();
    const seconds = writeDaemon(fixture);
    await fixture.call(createUnsandboxedTool(), { command });
    expect(existsSync(join(fixture.workspace, "started"))).toBe(true);
    expect(runningWith(seconds)).toEqual([]);
  });

  test("does not escape by forking repeatedly", async () => {
    const seconds = uniqueSeconds();
    const hop = `perl -e 'open STDOUT, ">", "/dev/null"; while (1) { fork and exit; setpgrp }' ${seconds}`;
    const command = `${hop} & sleep 0.1; echo left`;
    const { text } = await createToolFixture().call(createUnsandboxedTool(), { command });
    expect(text).toBe("left");
    expect(runningWith(seconds)).toEqual([]);
  });

  test("that kills its supervisor leaves nothing that keeps its session or its mark", async () => {
    const seconds = uniqueSeconds();
    const command = `sleep ${seconds} & setsid sleep ${seconds} & unset \${!CADRE_*}; sleep ${seconds} & kill -9 $PPID; sleep ${seconds}`;
    const outcome = await createToolFixture().call(createUnsandboxedTool(), { command });
    expect(outcome.isError).toBe(true);
    expect(runningWith(seconds)).toEqual([]);
  });

  test("that stops its supervisor is ended at its timeout", async () => {
    const seconds = uniqueSeconds();
    const command = `setsid sleep ${seconds} & kill -STOP $PPID; sleep ${seconds}`;
    const call = { command, timeout: 500 };
    const outcome = await createToolFixture().call(createUnsandboxedTool(), call);
    expect(outcome.output).toMatchObject({ endedBy: "timeout" });
    expect(runningWith(seconds)).toEqual([]);
  });
});
