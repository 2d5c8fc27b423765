import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { agentFile, cadre, createProject, type Project } from "../cli/command-line.ts";
import { start } from "../cli/start-command.ts";
import { authorized, token } from "../serve/serve-fixture.ts";
import { serve } from "../serve/serve-process.ts";
import { writeFamilies } from "./busy-family.ts";
import { createLink, openPage } from "./open-page.ts";

/** A picture of one pixel. */
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const script = `scripts:
  - when: { task: look, turn: 0 }
    reply: { calls: [{ tool: Read, input: { file_path: pixel.png } }] }
  - when: { task: ask, turn: 0 }
    reply: { calls: [{ tool: Write, input: { file_path: asked.txt, content: "one" } }] }
  - when: { task: hang, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "sleep 60" } }] }
  - reply: { text: "All **done**." }
`;

function createFlowProject(files: Readonly<Record<string, string>> = {}): Project {
  const project = createProject({
    "script.yaml": script,
    ".cadre/agents/worker.md": agentFile("worker"),
    ...files,
  });
  project.environment["CADRE_SERVE_TOKEN"] = token;
  return project;
}

/** Returns for each label of the time axis whether it is completely visible, out of view, or cut off. */
async function readLabels(page: Page): Promise<("whole" | "hidden" | "cut")[]> {
  return await page.evaluate(`Array.from(document.querySelectorAll(".ticks span"), (tick) => {
    const range = document.createRange();
    range.selectNodeContents(tick);
    const text = range.getBoundingClientRect();
    const place = tick.getBoundingClientRect();
    const axis = tick.parentElement.getBoundingClientRect();
    if (text.top >= place.bottom - 1) return "hidden";
    return text.right <= Math.min(place.right, axis.right) + 0.5 ? "whole" : "cut";
  })`);
}

describe("the page", () => {
  test("is used with the keyboard alone, from the start of a run to its events and graph", async () => {
    const project = createFlowProject();
    const served = await serve({ project, mode: "ask" });
    const { page, problems } = await openPage(served);
    await page.keyboard.press("s");
    await page.locator("textarea[name=task]:focus").waitFor();
    await page.keyboard.type("ask for more");
    // Keys that are typed into a field are not commands.
    expect(await page.getByRole("heading", { name: "Start a run" }).isVisible()).toBe(true);
    while ((await page.locator("button[type=submit]:focus").count()) === 0) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "main" }).waitFor();
    await page.keyboard.press("q");
    await page.getByText("Write asked.txt").waitFor();
    await page.keyboard.press("y");
    await page.getByText("No run waits for").waitFor();
    await page.keyboard.press("r");
    await page.getByRole("link", { name: /ask for more/ }).waitFor();
    await page.keyboard.press("j");
    await page.locator(".run-row.selected").waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("Ended: succeeded").waitFor();
    await page.keyboard.press("2");
    await page.getByRole("region", { name: "Steps" }).getByText("Question").waitFor();
    await page.keyboard.press("3");
    await page.getByRole("region", { name: "Settings" }).getByText("workspace").waitFor();
    await page.keyboard.press("4");
    await page.getByRole("button", { name: /run-finished/ }).waitFor();
    await page.keyboard.press("v");
    await page.getByRole("region", { name: "Graph" }).getByText("main").waitFor();
    await page.keyboard.press("v");
    await page.getByRole("region", { name: "Family" }).waitFor();
    await page.keyboard.press("?");
    for (const key of ["Enter", "+ − 0", "y a p n", "1 2 3 4"]) {
      await page.getByRole("dialog").getByText(key, { exact: true }).waitFor();
    }
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect(problems).toEqual([]);
  });

  test("shows less and more time of a timeline, its waits and critical path, and what runs wait for", async () => {
    const project = createFlowProject();
    const served = await serve({ project });
    await writeFamilies(join(project.path, "state", "cadre.db"), [
      { id: "busy-0001", runs: 30, workspace: project.path },
    ]);
    const { page, go, problems } = await openPage(served);
    await go("runs/busy-0001");
    await page.getByText("30 runs in").waitFor();
    for (const kind of ["queued", "model", "tool", "children", "retry"]) {
      await page.locator(`.family-panel .row .bar-${kind}`).first().waitFor();
    }
    expect(await page.locator(".family-panel .critical").count()).toBeGreaterThan(1);
    const shown = 'document.querySelector(".axis .ticks").textContent';
    const ticks = page.locator(".axis .ticks span");
    const all = await ticks.allTextContents();
    expect(await readLabels(page)).toContain("whole");
    expect(await readLabels(page)).not.toContain("cut");
    await page.keyboard.press("+");
    await page.waitForFunction(`${shown} !== ${JSON.stringify(all.join(""))}`);
    expect(await readLabels(page)).not.toContain("cut");
    await page.keyboard.press(">");
    await page.keyboard.press("0");
    await page.waitForFunction(`${shown} === ${JSON.stringify(all.join(""))}`);
    await page.keyboard.press("ArrowDown");
    await page.locator(".tree-row.selected", { hasText: "(part 1)" }).waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.locator(".tree-row", { hasText: "(part 9)" }).waitFor({ state: "detached" });
    await page.keyboard.press("ArrowRight");
    await page.locator(".tree-row", { hasText: "(part 9)" }).waitFor();
    await page.getByRole("button", { name: "Graph" }).click();
    expect(await page.locator(".node.run").count()).toBe(30);
    expect(await page.locator(".edge.dependency").count()).toBeGreaterThan(3);
    await page.locator(".node.run", { hasText: "Summarize" }).first().click();
    await page.locator(".node a[aria-current]", { hasText: "Summarize" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("shows the image that a tool returned, the sources of settings, and copies a conversation", async () => {
    const project = createFlowProject();
    writeFileSync(join(project.path, "pixel.png"), Buffer.from(pixel, "base64"));
    const served = await serve({ project, mode: "auto" });
    const { page, problems } = await openPage(served);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const budget = { tokens: 90_000 };
    await served.call("/runs", { agent: "main", task: "look", timeoutSeconds: 77, budget });
    await page.getByRole("link", { name: /look/ }).click();
    await page.getByText("Ended: succeeded").waitFor();
    await page.locator("summary", { hasText: "pixel.png" }).click();
    const image = page.locator("img.image");
    await image.waitFor();
    await page.waitForFunction(`document.querySelector("img.image").naturalWidth === 1`);
    await page.getByText(/of 90k/).waitFor();
    await page.getByText(/of 1.0M/).waitFor();
    await page.getByRole("button", { name: "Copy as Markdown" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain("All **done**.");
    await page.getByRole("button", { name: "Details" }).click();
    const row = page.getByRole("row", { name: /timeout/ });
    expect(await row.textContent()).toBe("timeout77 sthe call");
    const time = page.locator(".run-panel time").first();
    expect(await time.textContent()).toBe("now");
    expect(await time.getAttribute("title")).toMatch(/\d{4}/);
    expect(problems).toEqual([]);
  });

  test("tries an agent, and shows a finding beside the field that it is about", async () => {
    const broken = "---\nname: broken\ndescription: x\ntools: [Read, Nothing]\n---\nx\n";
    const project = createFlowProject({ ".cadre/agents/broken.md": broken });
    const served = await serve({ project, mode: "auto" });
    const { page, go, problems } = await openPage(served);
    await go("agents");
    await page.getByRole("link", { name: /broken/ }).click();
    const tools = page.locator(".details > div", { hasText: "tools" }).first();
    await tools
      .getByText(/Nothing/)
      .first()
      .waitFor();
    await tools.locator(".finding").waitFor();
    await page.getByRole("link", { name: /worker/ }).click();
    await page.getByRole("region", { name: "Try it" }).getByLabel("Task").fill("show what you can");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("heading", { name: "worker" }).waitFor();
    await page.getByText("Ended: succeeded").waitFor();
    expect(problems).toEqual([]);
  });

  test("filters runs by status and agent, and says what to do when there is none", async () => {
    const project = createFlowProject();
    const served = await serve({ project, mode: "auto" });
    const { page } = await openPage(served);
    await page.getByText("There are no runs yet.").waitFor();
    await served.call("/runs", { agent: "worker", task: "work" });
    await served.call("/runs", { agent: "main", task: "talk" });
    await page.getByRole("link", { name: /work/ }).waitFor();
    await page.getByLabel("Agent").selectOption("worker");
    await page.getByRole("link", { name: /talk/ }).waitFor({ state: "detached" });
    const listed = page.getByRole("region", { name: "Runs" }).getByRole("link");
    await listed.first().waitFor();
    expect(await listed.count()).toBe(1);
    await page.getByRole("button", { name: "Failed" }).click();
    await page.getByText("Choose other filters").waitFor();
  });

  test("says that a browser is not signed in, and that a run does not exist", async () => {
    const served = await serve({ project: createFlowProject() });
    const { page, go } = await openPage(served);
    await go("runs/nothing");
    await page.getByRole("alert").waitFor();
    await page.context().clearCookies();
    await page.goto(`${served.url}/#/agents`);
    await page.reload();
    await page.getByText("Open the link that").first().waitFor();
  });

  test("starts triggers, and shows schedules with their next times", async () => {
    const config = `triggers:
  nightly-review: { start: { agent: worker, task: review it } }
schedules:
  every-night: { cron: "0 3 * * *", timezone: UTC, trigger: nightly-review }
`;
    const project = createFlowProject({ ".cadre/config.yaml": config });
    await cadre(project, ["trust"]);
    const served = await serve({ project, mode: "auto" });
    const { page, go, problems } = await openPage(served);
    await go("start");
    await page.locator("li", { hasText: "every-night" }).getByText(/next/).waitFor();
    await page.getByRole("button", { name: "Start nightly-review" }).click();
    await page.getByRole("heading", { name: "worker" }).waitFor();
    await page.getByText("Ended: succeeded").waitFor();
    expect(problems).toEqual([]);
  });
});

describe("several browsers, processes and projects", () => {
  test("two browsers answer one question at once: the run gets one answer", async () => {
    const served = await serve({ project: createFlowProject() });
    const one = await openPage(served);
    const other = await openPage({ url: served.url, link: await createLink(served) });
    const started = await served.call("/runs", { agent: "main", task: "ask" });
    for (const { page, go } of [one, other]) {
      await go("questions");
      await page.getByText("Write asked.txt").waitFor();
    }
    await Promise.all([one.page.keyboard.press("y"), other.page.keyboard.press("n")]);
    for (const { page } of [one, other]) await page.getByText("No run waits for").waitFor();
    const id = String(started.json["run"].id);
    await served.call(`/runs/${id}/result?wait=60`);
    const { json } = await served.call(`/runs/${id}/events`);
    const types = (json["events"] as { type: string }[]).map(({ type }) => type);
    expect(types.filter((type) => type === "approval-answered")).toHaveLength(1);
    for (const { page, go } of [one, other]) {
      await go(`runs/${id}`);
      await page.getByText("Ended: succeeded").waitFor();
    }
    expect([...one.problems, ...other.problems]).toEqual([]);
  });

  test("a run of another process is killed under the page, which shows that and resumes it", async () => {
    const project = createFlowProject();
    const served = await serve({ project, mode: "auto" });
    const { page, problems } = await openPage(served);
    const terminal = start(project, ["run", "hang", "--mode", "auto", "--sandbox", "off"], null);
    await page.getByRole("link", { name: /hang/ }).click();
    await page.locator("summary", { hasText: "sleep 60" }).waitFor();
    terminal.child.kill("SIGKILL");
    await terminal.ended;
    await page.getByText("The process of this run is gone.").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("Ended: succeeded").waitFor();
    await page.getByRole("button", { name: "Details" }).click();
    await page.getByText("1 times").waitFor();
    expect(problems).toEqual([]);
  });

  test("the projects of a server are separate, and the user chooses which one is shown", async () => {
    const [shop, blog] = [createFlowProject(), createFlowProject()];
    // Their registries are where a user's registries are by default.
    delete shop.environment["CADRE_STATE_DIR"];
    shop.environment["CADRE_MODEL"] = `scripted:${join(shop.path, "script.yaml")}`;
    const served = await serve({ project: shop, mode: "auto", folders: [shop.path, blog.path] });
    const { page, problems } = await openPage(served);
    const { json } = await served.call("/projects");
    const [first, second] = json["projects"] as { id: string }[];
    await served.call("/runs", { agent: "main", task: "sell" });
    await fetch(`${served.url}/api/v1/projects/${second?.id}/runs`, {
      method: "POST",
      headers: { ...authorized, "content-type": "application/json" },
      body: JSON.stringify({ agent: "main", task: "write" }),
    });
    await page.getByRole("link", { name: /sell/ }).waitFor();
    await page.getByLabel("Project").selectOption(second?.id ?? "");
    await page.getByRole("link", { name: /write/ }).click();
    await page.getByText("Ended: succeeded").waitFor();
    expect(page.url()).toContain(`#/@${second?.id}/runs/`);
    await page.keyboard.press("r");
    await page.getByRole("link", { name: /write/ }).waitFor();
    expect(await page.getByRole("link", { name: /sell/ }).count()).toBe(0);
    await page.getByLabel("Project").selectOption(first?.id ?? "");
    await page.getByRole("link", { name: /sell/ }).waitFor();
    expect(problems).toEqual([]);
  });
});
