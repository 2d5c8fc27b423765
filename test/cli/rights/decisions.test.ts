import { describe, expect, it } from "vitest";
import { cadre, createProject, type Project } from "../command-line.ts";

const config = `
permissions:
  mode: ask
  allow: ["Bash(echo *)", "Write(note.txt)"]
  deny: ["Bash(rm *)"]
sandbox: off
`;
const worker = `---
name: worker
description: Works.
permission_mode: deny
---
You are worker.
`;
const script = `
scripts:
  - when: { agent: worker, turn: 0 }
    reply:
      calls:
        - { tool: Read, input: { file_path: note.txt } }
        - { tool: Write, input: { file_path: note.txt, content: new } }
  - when: { agent: worker }
    reply: { text: done }
  - when: { task: delegate, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: worker, prompt: write } }] }
  - when: { task: commands, turn: 0 }
    reply:
      calls:
        - { tool: Bash, input: { command: echo hi } }
        - { tool: Bash, input: { command: rm note.txt } }
        - { tool: Read, input: { file_path: note.txt } }
  - reply: { text: done }
`;

function project(): Project {
  return createProject({
    "script.yaml": script,
    "note.txt": "old",
    ".cadre/config.yaml": config,
    ".cadre/agents/worker.md": worker,
  });
}

interface Recorded {
  type: string;
  key?: string;
  title?: string;
  permission?: { levels: { decision: string; reason: string }[]; grant?: string };
}

/** Returns the recorded decisions on the calls of a run, by the type of the event that contains them. */
async function decisionsOf(fixture: Project, run: string): Promise<string[]> {
  const { stdout } = await cadre(fixture, ["events", run, "--json"]);
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Recorded);
  return events.flatMap(({ type, permission }) =>
    permission === undefined
      ? []
      : [
          [
            type,
            ...permission.levels.map(({ decision, reason }) => `${decision} ${reason}`),
            ...(permission.grant === undefined ? [] : [`grant ${permission.grant}`]),
          ].join(": "),
        ],
  );
}

const trusted = ["--trust"];

describe.concurrent("the decision about a call without a question", () => {
  it("is recorded with its rule and level, except where each mode allows the call", async () => {
    const fixture = project();
    await cadre(fixture, ["run", ...trusted, "commands"]);
    expect(await decisionsOf(fixture, "last")).toEqual([
      "step-started: allow rule Bash(echo *) of the configuration",
      "step-finished: deny rule Bash(rm *) of the configuration",
    ]);
    const { stdout } = await cadre(fixture, ["show", "last"]);
    expect(stdout).toMatch(
      /-> .*echo hi.*\n {3}allowed by rule Bash\(echo \*\) of the configuration\n/,
    );
    expect(stdout).toContain("   denied by rule Bash(rm *) of the configuration\n");
    expect(stdout).toMatch(/-> Read note.txt \[[^\n]*\n\n?<- ok/);
  });

  it("names what each level from the root down decides", async () => {
    const fixture = project();
    await cadre(fixture, ["run", ...trusted, "delegate"]);
    const { stdout: listed } = await cadre(fixture, ["runs", "--all", "--json"]);
    const { runs } = JSON.parse(listed) as { runs: { id: string; agent: string }[] };
    const child = runs.find(({ agent }) => agent === "worker")?.id ?? "";
    expect(await decisionsOf(fixture, child)).toEqual([
      "step-finished: allow rule Write(note.txt) of the configuration: deny mode deny of agent worker",
    ]);
    const { stdout } = await cadre(fixture, ["show", child]);
    expect(stdout).toContain(`   denied by mode deny of agent worker
     allow  rule Write(note.txt) of the configuration
     deny   mode deny of agent worker
`);
  });
});
