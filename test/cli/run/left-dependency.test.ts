import { expect, onTestFinished, test, vi } from "vitest";
import { type Cadre, createCadre } from "../../../src/index.ts";
import { agentFile, cadre, createProject, type Project } from "../command-line.ts";

async function open({ path, home, environment }: Project): Promise<Cadre> {
  const opened = await createCadre({ cwd: path, home, environment, trust: true });
  onTestFinished(() => opened.close());
  return opened;
}

const hanging = "scripts: [{ reply: { fault: { kind: hang } } }]\n";

test("a run whose dependency's process is gone reports that, and begins when the dependency is continued", async () => {
  const project = createProject({
    "script.yaml": hanging,
    ".cadre/agents/worker.md": agentFile("worker"),
  });
  const dying = await open(project);
  const { id: gone } = await dying.spawn({ agent: "worker", task: "one" });
  await dying.close({ leaveRuns: true });
  const living = await open(project);
  const after = await living.spawn({ agent: "worker", task: "two", dependsOn: gone });
  const notice = `worker (run ${after.id}) waits for ${gone}, whose process is gone; \`cadre resume ${gone}\` continues it`;
  for (const words of [["runs"], ["tree", "last"]]) {
    expect((await cadre(project, words)).stderr).toContain(notice);
  }
  const owned = await cadre(project, ["resume", after.id]);
  expect(owned.code).toBe(2);
  expect(owned.stderr).toContain(
    `It waits for runs whose process is gone; continue those with \`cadre resume ${gone}\`.`,
  );
  await living.close({ leaveRuns: true });
  project.write("script.yaml", "scripts: [{ reply: { text: came through } }]\n");
  const resumed = await cadre(project, ["resume", gone, "--trust", "--json"]);
  expect(resumed.code).toBe(0);
  expect(JSON.parse(resumed.stdout)).toMatchObject([
    { runId: gone, text: "came through" },
    { runId: after.id, text: "came through" },
  ]);
  expect((await cadre(project, ["runs"])).stderr).toBe("");
});

test("the time of a run whose process is gone ends with its last event", async () => {
  const project = createProject({
    "script.yaml": hanging,
    ".cadre/agents/worker.md": agentFile("worker"),
  });
  const dying = await open(project);
  await dying.spawn({ agent: "worker", task: "one" });
  await dying.close({ leaveRuns: true });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  for (const words of [["runs"], ["tree", "last"], ["show", "last"]]) {
    const { stdout, stderr } = await cadre(project, words);
    expect(stderr).toContain("is gone");
    expect(stdout).toMatch(/\b\d\.\ds\b/);
    expect(stdout).not.toMatch(/\b1h\d\dm\b/);
  }
});
