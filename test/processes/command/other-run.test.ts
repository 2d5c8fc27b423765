import { describe, expect, it } from "vitest";
import { cadre, createProject, type Project } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";

/** The task `hang` waits for the file `go`. */
function createHangingProject(): Project {
  return createProject({
    "script.yaml": `scripts:
  - when: { task: hang, turn: 0 }
    reply: { text: "waiting", calls: [{ tool: Bash, input: { command: "touch begun; while test ! -e go; do sleep 0.05; done" } }] }
  - reply: { text: "heard: {{last}}" }
`,
  });
}

describe.concurrent("a run of another process", () => {
  it("gets a message of `cadre send`, which confirms that with --wait", async () => {
    const project = createHangingProject();
    const run = start(project, ["run", "hang", "--mode", "auto"]);
    await run.printed("main started");
    const words = ["send", "last", "look at auth first", "--wait", "--json"];
    const sending = start(project, words).ended;
    // Not before the run exists: it continues when its command ends.
    const isQueued = async (): Promise<boolean> =>
      (await cadre(project, ["events", "last", "--json"])).stdout.includes("message-queued");
    while (!(await isQueued()));
    project.write("go", "");
    expect(JSON.parse((await sending).stdout)).toMatchObject({ delivered: true });
    const { stdout } = await run.ended;
    expect(stdout).toContain("[Message from user]:\nlook at auth first");
    const late = await cadre(project, ["send", "last", "too late"]);
    expect(late.code).toBe(1);
    expect(late.stdout).toMatch(
      /has ended \(succeeded\)\. Continue it: cadre run --continue=\S+ TEXT/,
    );
  });

  it("gets more time and budget by `cadre raise`, which `cadre show` names", async () => {
    const project = createHangingProject();
    const words = ["run", "hang", "--mode", "auto", "--budget", "toolCalls=9", "--timeout", "50"];
    const run = start(project, words);
    await run.printed("main started");
    const raised = await cadre(project, [
      "raise",
      "last",
      "--timeout",
      "7",
      "--budget",
      "toolCalls=3",
    ]);
    expect(raised.stdout).toMatch(
      /^Raised the limits of run \S+: toolCalls \+3, timeout \+7 s\.\n$/,
    );
    const json = await cadre(project, ["raise", "last", "--timeout", "1", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ raise: { timeoutSeconds: 1 } });
    const report = async (): Promise<string> => (await cadre(project, ["show", "last"])).stdout;
    while (!(await report()).includes("limits raised by user: timeout +1 s"));
    expect(await report()).toContain("limits raised by user: toolCalls +3, timeout +7 s");
    expect(await report()).toMatch(/timeout +58s/);
    expect(await report()).toMatch(/budget +toolCalls=12/);
    expect((await cadre(project, ["raise", "last"])).stderr).toContain(
      "Expected --timeout or --budget",
    );
    project.write("go", "");
    await run.ended;
    const late = await cadre(project, ["raise", "last", "--timeout", "7"]);
    expect(late.stderr).toContain("it has ended (succeeded)");
    expect(late.code).toBe(2);
  });
});
