import { describe, expect, test } from "vitest";
import { agentFile, createProject, type Project } from "../cli/command-line.ts";
import { token } from "../serve/serve-fixture.ts";
import { serve } from "../serve/serve-process.ts";
import { openPage } from "./open-page.ts";

const script = `scripts:
  - when: { task: give it, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: worker, prompt: go } }] }
  - reply: { text: "42" }
`;

const recipe = `title: Review
description: Reviews a part of the project.
prompt: Review {{ target }} with {{ depth }} depth.
parameters:
  - { key: target, input_type: string, requirement: required, description: What to review. }
  - { key: depth, input_type: select, requirement: optional, default: little, options: [little, great], description: How deep. }
`;

const evals = `cases:
  - { name: sum, task: What is 6 times 7?, expect: { output: { contains: "42" } } }
  - { name: worker, task: give it away, expect: { agents: [worker] } }
`;

/** A picture of one pixel. */
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function createStartProject(): Project {
  const project = createProject({
    "script.yaml": script,
    "other.yaml": script.replace('text: "42"', 'text: "43"'),
    "evals.yaml": evals,
    "graphs/two.yaml":
      "runs:\n  - { label: one, agent: worker, task: first }\n  - { label: two, agent: worker, task: second, dependsOn: one }\n",
    ".cadre/recipes/review.yaml": recipe,
    ".cadre/agents/worker.md": agentFile("worker"),
  });
  project.environment["CADRE_SERVE_TOKEN"] = token;
  return project;
}

describe("the page starts", () => {
  test("a recipe with the fields of its parameters, and a graph of the project", async () => {
    const served = await serve({ project: createStartProject() });
    const { page, problems } = await openPage(served);
    await page.keyboard.press("s");
    await page.getByRole("button", { name: "Recipe" }).click();
    await page.getByText("Reviews a part of the project.").waitFor();
    await page.getByText("What to review.").waitFor();
    await page.getByRole("button", { name: "Start", exact: true }).click();
    // The form requires a required parameter, and nothing has started.
    await page.locator("input[name='parameter:target']:invalid").waitFor();
    await page.getByLabel(/^target/).fill("src/serve");
    await page.getByLabel(/^depth/).selectOption("great");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByText("Review src/serve with great depth.").first().waitFor();
    await page.getByText("Ended: succeeded").waitFor();

    await page.keyboard.press("s");
    await page.getByRole("button", { name: "Graph" }).click();
    await page.getByText("Of the project: graphs/two.yaml").waitFor();
    await page.getByLabel("File of the graph").fill("none.yaml");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("alert").getByText("none.yaml").waitFor();
    await page.getByLabel("File of the graph").fill("graphs/two.yaml");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("heading", { name: "graph" }).waitFor();
    await page.getByText("3 runs in").waitFor();
    expect(problems).toEqual([]);
  });

  test("a run with any option of a request, and images", async () => {
    const served = await serve({ project: createStartProject() });
    const { page, problems } = await openPage(served);
    await page.keyboard.press("s");
    await page.getByLabel("Task").fill("look at it");
    await page.getByText("More options").click();
    const others = page.getByLabel(/^Other options/);
    await others.fill('{ "temperature": 0.5, "nothing": 1 }');
    const start = page.getByRole("button", { name: "Start", exact: true });
    await start.click();
    await page.getByRole("alert").getByText("nothing").first().waitFor();
    await others.fill('{ "temperature": 0.5, "sharedContext": { "k": "v" }, "cache": true }');
    const image = {
      name: "pixel.png",
      mimeType: "image/png",
      buffer: Buffer.from(pixel, "base64"),
    };
    await page.getByLabel("Images").setInputFiles(image);
    await start.click();
    await page.getByText("Ended: succeeded").waitFor();
    const { json } = await served.call("/runs/last/events?limit=1");
    expect(json["events"][0].spec).toMatchObject({
      task: "look at it",
      temperature: 0.5,
      cache: true,
      context: { values: { k: "v" } },
      images: [{ mediaType: "image/png" }],
    });
    // The browser's console reports the refused request too.
    expect(problems.filter((problem) => !problem.includes("400"))).toEqual([]);
  });

  test("evals, shows their trials, and compares two case by case and step by step", async () => {
    const served = await serve({ project: createStartProject() });
    const { page, problems } = await openPage(served);
    const start = async (model: string): Promise<void> => {
      await page.keyboard.press("e");
      await page.getByText("Start an eval").click();
      await page.getByLabel("File").fill("evals.yaml");
      await page.getByLabel("Models").fill(model);
      await page.getByLabel("Trials of each case").fill("2");
      await page.getByRole("button", { name: "Start", exact: true }).click();
      await page.getByText("of 4 ·").waitFor();
    };
    await start("scripted:script.yaml");
    await page.getByText("4 passed, 0 failed, 0 with errors").waitFor();
    await start("scripted:other.yaml");
    await page.getByText("2 passed, 2 failed, 0 with errors").waitFor();
    await page.getByText('Expected the output to contain "42".').first().waitFor();
    await page.keyboard.press("e");
    await page.getByRole("checkbox").nth(1).waitFor();
    for (const key of ["j", "x", "j", "x"]) await page.keyboard.press(key);
    await page.getByRole("link", { name: "Compare the two" }).click();
    await page.getByText("Passes less often on the right: sum.").waitFor();
    const sum = page.getByRole("region", { name: "sum" });
    await sum.getByText("passed 2 of 2").waitFor();
    await sum.getByText("passed 0 of 2").waitFor();
    await sum.getByText("Steps of trial 2").click();
    await sum.getByText("1 step in common").waitFor();
    await sum.getByText("43", { exact: true }).waitFor();
    // The left one is the older eval.
    await sum.locator(".changed del", { hasText: "scripted:script.yaml" }).waitFor();
    await page.locator(".heads a").first().click();
    await page.getByText("4 passed").waitFor();
    // Any two runs can be compared.
    const ids = await page
      .locator(".trial a")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")?.split("/").at(-1)));
    await page.getByRole("link", { name: "trial 1" }).first().click();
    await page.getByText("Compare with …").click();
    await page.getByLabel("The other run").fill(ids[2] ?? "");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByText("They differ from the first step.").waitFor();
    expect(problems).toEqual([]);
  });
});
