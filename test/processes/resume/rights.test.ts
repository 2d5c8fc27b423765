import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentFile, cadre, createProject, type Project } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";

/** Waits until the file `go` exists. */
const program = `import { existsSync } from "node:fs";
export default {
  name: "patient", description: "waits",
  async run() {
    while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 20));
    return "program done";
  },
};
`;
const script = `scripts:
  - when: { task: stuck }
    reply: { fault: { kind: hang } }
  - reply: { text: "done" }
`;

function project(): Project {
  const fixture = createProject({ "script.yaml": script, ".cadre/agents/patient.mjs": program });
  fixture.write(".cadre/agents/calm.md", agentFile("calm"));
  return fixture;
}

/** Starts a run and kills its process with SIGKILL when stderr contains `text`. */
async function leave(fixture: Project, words: readonly string[], text: string): Promise<void> {
  const { child, ended, printed } = start(fixture, ["run", ...words]);
  await printed(text);
  child.kill("SIGKILL");
  await ended;
}

async function journalOf(fixture: Project): Promise<string> {
  return (await cadre(fixture, ["events", "last", "--json"])).stdout;
}

describe.concurrent("a run that began with more rights than are granted now", () => {
  it("stays unfinished at a resume without --trust, and is finished by one with it", async () => {
    const fixture = project();
    await leave(fixture, ["--trust", "patient", "job"], "patient started");
    fixture.write("go", "");
    const before = await journalOf(fixture);
    for (const words of [["resume"], ["resume", "last"], ["resume", "--json"]]) {
      const refused = await cadre(fixture, words);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toMatch(/stays unfinished[^]*patient\.mjs[^]*not trusted[^]*--trust/);
    }
    expect(await journalOf(fixture)).toBe(before);
    const { code, stdout } = await cadre(fixture, ["resume", "--trust"]);
    expect([code, stdout]).toEqual([0, "program done\n"]);
  });

  it("stays unfinished at a resume without --mode, and is finished by one with it", async () => {
    const fixture = project();
    await leave(fixture, ["calm", "stuck", "--mode", "auto"], "calm started");
    fixture.write("script.yaml", "scripts: [{ reply: { text: came through } }]\n");
    const before = await journalOf(fixture);
    const refused = await cadre(fixture, ["resume"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(
      "It began in mode auto, and the mode is now ask. Add --mode auto",
    );
    expect(await journalOf(fixture)).toBe(before);
    const { code, stdout } = await cadre(fixture, ["resume", "last", "--mode", "auto"]);
    expect([code, stdout]).toEqual([0, "came through\n"]);
  });

  it("does not stop other runs from continuing, and the exit code reports it", async () => {
    const fixture = project();
    await leave(fixture, ["--trust", "patient", "job"], "patient started");
    await leave(fixture, ["calm", "stuck"], "calm started");
    fixture.write("script.yaml", "scripts: [{ reply: { text: came through } }]\n");
    const { code, stdout, stderr } = await cadre(fixture, ["resume"]);
    expect([code, stdout]).toEqual([2, "came through\n"]);
    expect(stderr).toMatch(/cadre: The run \S+ \(patient\) stays unfinished/);
    const left = await cadre(fixture, ["runs", "--json"]);
    const { runs } = JSON.parse(left.stdout) as { runs: { agent: string; status: string }[] };
    const statuses = runs.map(({ agent, status }) => `${agent} ${status}`);
    expect(statuses.sort()).toEqual(["calm succeeded", "patient running"]);
  });

  it("is not forked or retried either, until the rights are granted again", async () => {
    const fixture = project();
    fixture.write(
      "script.yaml",
      "scripts: [{ reply: { fault: { kind: status, status: 400 } } }]\n",
    );
    const failed = await cadre(fixture, ["run", "calm", "job", "--mode", "auto"]);
    expect(failed.code).toBe(1);
    fixture.write("script.yaml", "scripts: [{ reply: { text: came through } }]\n");
    const refused = await cadre(fixture, ["retry", "last"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /The run \S+ \(calm\) cannot be forked or retried with the current/,
    );
    expect(refused.stderr).not.toContain("unfinished");
    expect(refused.stderr).toContain("Add --mode auto");
    const retried = await cadre(fixture, ["retry", "last", "--mode", "auto"]);
    expect([retried.code, retried.stdout]).toEqual([0, "came through\n"]);
    expect((await cadre(fixture, ["fork", "last", "--at", "1"])).stderr).toContain(
      "Add --mode auto",
    );
    const again = ["--task", "again", "--mode", "auto"];
    const forked = await cadre(fixture, ["fork", "last", "--at", "1", ...again]);
    expect(forked.code).toBe(0);
  });

  it("is not continued in another project, although the registry is the same", async () => {
    const fixture = project();
    await leave(fixture, ["calm", "stuck", "--mode", "auto"], "calm started");
    const elsewhere = createProject({ "script.yaml": script });
    elsewhere.environment["CADRE_STATE_DIR"] = join(fixture.path, "state");
    const { code, stderr } = await cadre(elsewhere, ["resume", "--mode", "auto"]);
    expect(code).toBe(2);
    expect(stderr).toContain(`It works in ${fixture.path}, which is outside the project`);
  });
});
