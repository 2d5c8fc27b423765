import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type Axe from "axe-core";
import { expect, test } from "vitest";
import { agentFile, cadre, createProject, type Project } from "../cli/command-line.ts";
import { openTestRegistry } from "../fixtures/registry/test-registry.ts";
import { createSpec, finished } from "../fixtures/run-spec.ts";
import { serve, token } from "../serve/serve-place.ts";
import { openPage } from "./open-page.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const script = `scripts:
  - when: { task: ask, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "touch asked", description: "make a file" } }] }
  - when: { task: delegate, turn: 0 }
    reply:
      reasoning: one can do this
      text: "# I ask\\n\\n| a | b |\\n|---|---|\\n| 1 | 2 |"
      calls: [{ tool: Agent, input: { type: worker, prompt: count the files of this project } }]
  - reply: { text: "done" }
`;

function createReachProject(): Project {
  const project = createProject({
    "script.yaml": script,
    ".cadre/agents/worker.md": agentFile("worker"),
    ".cadre/agents/broken.md": "---\nname: broken\ntools: [Read, Nothing]\nmodell: x\n---\nx\n",
  });
  project.environment["CADRE_SERVE_TOKEN"] = token;
  return project;
}

test.each([
  ["light", 1280],
  ["dark", 1280],
  ["light", 820],
  ["dark", 390],
  ["light", 390],
] as const)("every view can be used by everyone, %s, %d pixels wide", async (theme, width) => {
  const project = createReachProject();
  await cadre(project, ["run", "delegate", "--budget", "tokens=50000"]);
  const place = await serve({ project });
  const { page, go } = await openPage(place, { theme, width });
  await place.call("/runs", { agent: "main", task: "ask" });
  const views = ["runs", "runs/last", "questions", "agents", "usage", "start"];
  const { json } = await place.call("/runs?status=succeeded");
  const id = String(json["runs"][0].id);
  const found: unknown[] = [];
  for (const view of [...views, `runs/${id}`, `compare/${id}/${id}`]) {
    await go(view);
    await page.locator("main .view").waitFor();
    await page.locator("main").getByText("Reading …").waitFor({ state: "detached" });
    // The policy of the page lets no other script in.
    await page.evaluate(axe);
    const violations = await page.evaluate(async () => {
      const { run } = (globalThis as unknown as { axe: Pick<typeof Axe, "run"> }).axe;
      return (await run()).violations.map(({ id: rule, nodes }) => [rule, nodes[0]?.html]);
    });
    if (violations.length > 0) found.push([view, violations]);
    const wider = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
    if (wider) found.push([view, "is wider than the screen"]);
  }
  expect(found).toEqual([]);
});

test("a family of 5,000 runs opens soon, and only the runs that are seen are drawn", async () => {
  const project = createReachProject();
  await cadre(project, ["run", "hello"]);
  const registry = openTestRegistry({ path: join(project.path, "state", "cadre.db") });
  const spec = createSpec("r-root", { workspace: project.path, task: "a large family" });
  registry.append("r-root", { type: "run-created", spec });
  registry.append("r-root", { type: "run-started", owner: "1" });
  for (let index = 0; index < 4999; index += 1) {
    const id = `r-${index}`;
    const child = { rootId: "r-root", parentId: "r-root", parentStep: `tool/1/${index}`, depth: 1 };
    const own = createSpec(id, { ...spec, ...child, id, task: `part ${index}` });
    registry.append(id, { type: "run-created", spec: own });
    registry.append(id, { type: "run-started", owner: "1" });
    registry.append(id, finished(id));
  }
  registry.append("r-root", finished("r-root"));
  await registry.close();
  const place = await serve({ project });
  const { page, go, problems } = await openPage(place);
  const begun = performance.now();
  await go("runs/r-root");
  await page.getByText("5000 runs in").or(page.getByText("5,000 runs in")).waitFor();
  await page.getByRole("link", { name: /part 3$/ }).waitFor();
  const took = performance.now() - begun;
  expect(await page.locator(".tree-row").count()).toBeLessThan(80);
  await page.locator(".tree .rows").evaluate((rows) => rows.scrollTo(0, rows.scrollHeight));
  await page.getByRole("link", { name: "part 4998" }).waitFor();
  expect(problems).toEqual([]);
  // One second on a free machine, as docs/performance.md says.
  expect(took).toBeLessThan(5000);
  process.stdout.write(`A family of 5,000 runs was shown after ${Math.round(took)} ms.\n`);
});
