import { describe, expect, test } from "vitest";
import { agentFile, createProject, type Project } from "../cli/command-line.ts";
import { token } from "../serve/serve-fixture.ts";
import { serve } from "../serve/serve-process.ts";
import { createLink, openPage } from "./open-page.ts";

const script = `scripts:
  - when: { task: ask, turn: 0 }
    reply: { calls: [{ tool: Write, input: { file_path: asked.txt, content: "one\\ntwo\\n" } }] }
  - when: { agent: worker, turn: 0 }
    reply: { text: "I look.", calls: [{ tool: LS, input: { path: "." } }] }
  - when: { agent: worker }
    reply: { text: "The worker is **done**." }
  - when: { task: delegate, turn: 0 }
    reply:
      reasoning: two can do this
      text: "I ask two."
      calls:
        - { tool: Agent, input: { type: worker, prompt: count the files } }
        - { tool: Agent, input: { type: worker, prompt: name the folders } }
  - when: { task: hang, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "sleep 60" } }] }
  - when: { last: hurry }
    reply: { text: "I hurry." }
  - reply: { text: "# Heading\\n\\nAll **done**, see [this](https://example.com/a)." }
`;

function createPageProject(files: Readonly<Record<string, string>> = {}): Project {
  const worker = agentFile("worker");
  const project = createProject({
    "script.yaml": script,
    ".cadre/agents/worker.md": worker,
    ...files,
  });
  project.environment["CADRE_SERVE_TOKEN"] = token;
  return project;
}

describe("the page", () => {
  test("starts a run, and shows its family, conversation, steps and events", async () => {
    const served = await serve({ project: createPageProject(), mode: "auto" });
    const { page, problems, go } = await openPage(served);
    await page.getByText("There are no runs yet.").waitFor();
    await page.keyboard.press("s");
    await page.getByLabel("Task").fill("delegate");
    await page.getByLabel("Tokens at most").fill("100000");
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByRole("heading", { name: "Heading" }).waitFor();
    const tree = page.getByRole("region", { name: "Family" });
    await page.getByText("3 runs in").waitFor();
    expect(await tree.getByRole("listitem").count()).toBe(3);
    await page.getByText(/of 100k/).waitFor();
    await page.getByText("Reasoning").click();
    await page.getByText("two can do this").waitFor();
    const link = page.getByRole("link", { name: "this" });
    expect(await link.getAttribute("href")).toBe("https://example.com/a");
    // A child is open inside the call that started it.
    await page.locator("details.child summary").first().click();
    await page.locator("details.child").getByText("The worker is", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Steps" }).click();
    await page.getByText("Agent worker: name the folders").waitFor();
    await page.getByRole("button", { name: "Events" }).click();
    await page.getByRole("button", { name: /run-finished/ }).click();
    await page.getByText('"type": "run-finished"').waitFor();
    await tree.getByRole("link", { name: /count the files/ }).click();
    await page.getByRole("heading", { name: "worker" }).waitFor();
    await tree.getByRole("link", { name: /count the files/ }).press("ArrowDown");
    await page.locator(".tree-row.selected", { hasText: "name the folders" }).waitFor();
    await go("runs");
    await page.getByRole("region", { name: "Runs" }).getByText("delegate").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("all don");
    const found = page.getByRole("region", { name: "Runs found" });
    await found.locator("mark", { hasText: "done" }).first().waitFor();
    await found
      .getByText(/^answer, event/)
      .first()
      .click();
    // The run opens at the event with the text.
    await page.getByRole("heading", { name: "main" }).waitFor();
    await page.locator(".event-row[aria-pressed=true]", { hasText: "step-finished" }).waitFor();
    await page.locator(".events pre", { hasText: "All **done" }).waitFor();
    await page.keyboard.press("u");
    await page.getByRole("cell", { name: "worker" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Start", { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test("shows one question in two browsers; a key in one answers it, and it is gone in both", async () => {
    const served = await serve({ project: createPageProject() });
    const one = await openPage(served);
    const other = await openPage({ url: served.url, link: await createLink(served) });
    for (const { go } of [one, other]) await go("questions");
    const started = await served.call("/runs", { agent: "main", task: "ask" });
    for (const { page } of [one, other]) await page.getByText("Write asked.txt").waitFor();
    expect(await one.page.locator(".diff ins").allTextContents()).toEqual(["+ one", "+ two"]);
    expect(await other.page.title()).toBe("(1) Cadre");
    await one.page.keyboard.press("y");
    for (const { page } of [one, other]) await page.getByText("No run waits for").waitFor();
    await one.go(`runs/${String(started.json["run"].id)}`);
    await one.page.getByText("Ended: succeeded").waitFor();
    expect([...one.problems, ...other.problems]).toEqual([]);
  });

  test("continues when the server restarts, and resumes a run whose process was killed", async () => {
    const project = createPageProject();
    const first = await serve({ project, mode: "auto" });
    const { page } = await openPage(first);
    const started = await first.call("/runs", { agent: "main", task: "hang" });
    await page.getByRole("link", { name: /hang/ }).click();
    await page.getByText("Bash", { exact: true }).waitFor();
    first.server.child.kill("SIGKILL");
    await first.server.ended;
    await page.getByText("The server does not answer; trying again").waitFor();
    const port = Number(new URL(first.url).port);
    await serve({ project, port, mode: "auto" });
    await page.getByText("live", { exact: true }).waitFor();
    await page.getByText("The process of this run is gone.").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("Ended: succeeded").waitFor();
    expect(await page.getByText("Interrupted, effect unknown").count()).toBe(1);
    const { json } = await first.call(`/runs/${String(started.json["run"].id)}`);
    expect(json["run"].status).toBe("succeeded");
  });

  test("sends messages, cancels, retries, continues and forks", async () => {
    const served = await serve({ project: createPageProject(), mode: "auto" });
    const { page, problems } = await openPage(served);
    await served.call("/runs", { agent: "main", task: "hang" });
    await page.getByRole("link", { name: /hang/ }).click();
    await page.getByLabel("Message").fill("hurry");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: "+5 min" }).click();
    await page.getByRole("button", { name: "Details" }).click();
    await page.getByRole("button", { name: "Events" }).click();
    for (const type of [/limits-raised/, /message-queued/]) {
      await page.getByRole("button", { name: type }).waitFor();
    }
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Conversation" }).click();
    await page.getByLabel("Next task").fill("something else");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Ended: succeeded").waitFor();
    await page.getByText("Fork from here").click();
    await page.getByLabel("What to say in the copy").fill("another way");
    await page.getByRole("button", { name: "Fork" }).click();
    await page.getByText("another way").first().waitFor();
    await page.getByText("Ended: succeeded").waitFor();
    await page.getByRole("link", { name: "Compare" }).click();
    await page.getByRole("heading", { name: "Compare" }).waitFor();
    await page.getByText("in common").first().waitFor();
    expect(problems).toEqual([]);
  });
});
