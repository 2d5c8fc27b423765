import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type Axe from "axe-core";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { agentFile, cadre, createProject, type Project } from "../cli/command-line.ts";
import { token } from "../serve/serve-fixture.ts";
import { serve } from "../serve/serve-process.ts";
import { writeFamilies } from "./busy-family.ts";
import { inspectLayout, watchLayout } from "./inspect-page.ts";
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

const evals = `repeat: 2
cases:
  - { name: greets, task: hello, expect: { output: { contains: done } } }
  - { name: delegates, task: hello, expect: { agents: [worker] } }
`;

const recipe = `title: Review
description: Reviews a part of the project.
prompt: Review {{ target }}.
parameters:
  - { key: target, input_type: string, requirement: required, description: What to review. }
  - { key: depth, input_type: select, requirement: optional, default: little, options: [little, great], description: How deep. }
`;

function createReachProject(): Project {
  const project = createProject({
    "script.yaml": script,
    ".cadre/agents/worker.md": agentFile("worker"),
    "evals.yaml": evals,
    ".cadre/recipes/review.yaml": recipe,
    ".cadre/agents/broken.md": "---\nname: broken\ntools: [Read, Nothing]\nmodell: x\n---\nx\n",
  });
  project.environment["CADRE_SERVE_TOKEN"] = token;
  return project;
}

/** The sizes of phones, small screens and large screens. */
const widths = [390, 1024, 1440];

test.each(widths)(
  "every screen can be used by everyone, light and dark, and nothing on it jumps, %d pixels wide",
  async (width) => {
    const project = createReachProject();
    await cadre(project, ["run", "delegate", "--budget", "tokens=50000"]);
    for (const filter of ["greets", "e"])
      await cadre(project, ["eval", "evals.yaml", "--filter", filter]);
    await writeFamilies(join(project.path, "state", "cadre.db"), [
      { id: "busy-0001", runs: 40, workspace: project.path },
    ]);
    const served = await serve({ project });
    const { page, go } = await openPage(served, { width });
    const readShift = await watchLayout(page);
    await served.call("/runs", { agent: "main", task: "ask" });
    const views = ["runs", "runs/last", "questions", "agents", "agents/broken", "usage", "start"];
    const { json } = await served.call("/runs?status=succeeded");
    const id = String(json["runs"][0].id);
    const evalIds = (await served.call("/evals")).json["evals"].map(
      (one: { id: string }) => one.id,
    );
    const compared = [`compare/${id}/busy-0001`, `compare-evals/${evalIds.join("/")}`];
    const others = [`runs/${id}`, `runs/${id}/1`, "runs/busy-0001", "evals", "evals/last"];
    const found: unknown[] = [];
    for (const view of [...views, ...others, "start/review", ...compared]) {
      // A new document, so that its first moments count too.
      await page.goto("about:blank");
      await go(view);
      await page.locator("main .view").waitFor();
      await page.locator("main").getByText("Loading …").first().waitFor({ state: "detached" });
      await page.getByText("live", { exact: true }).waitFor();
      const shift = await readShift();
      if (shift > 0.02) found.push([view, `moved by ${shift}`]);
      found.push(...(await inspect(page, view)));
      const shape = page.getByRole("group", { name: "Shape" });
      const graph = shape.getByRole("button", { name: "Graph" });
      if (await graph.isVisible()) {
        await graph.click();
        await page.locator(".node").first().waitFor();
        found.push(...(await inspect(page, `${view}, as a graph`)));
      }
      for (const tab of ["Steps", "Details", "Events"]) {
        const button = page.getByRole("button", { name: tab, exact: true });
        if (!(await button.isVisible())) continue;
        await button.click();
        found.push(...(await inspect(page, `${view}, ${tab}`)));
      }
    }
    await go("runs");
    await page.getByRole("searchbox").fill("done");
    await page.locator("mark").first().waitFor();
    found.push(...(await inspect(page, "search")));
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    found.push(...(await inspect(page, "help")));
    expect(found).toEqual([]);
  },
  600_000,
);

/**
 * Returns the findings of axe by the rules of WCAG 2.2 AA and its best practices, and those of the layout, in both themes. The themes
 * are the same document in other colors.
 */
async function inspect(page: Page, view: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const theme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    const findings = [...(await findViolations(page)), ...(await inspectLayout(page))];
    found.push(...findings.map((finding) => [view, theme, finding]));
  }
  return found;
}

async function findViolations(page: Page): Promise<unknown[]> {
  // The page's policy allows no other script. Compiling axe takes as long as using it.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  return await page.evaluate(async () => {
    const { run } = (globalThis as unknown as { axe: Pick<typeof Axe, "run"> }).axe;
    const rules = { "target-size": { enabled: true } };
    const { violations } = await run({ rules, resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => [id, html]));
  });
}
