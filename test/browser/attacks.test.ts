import { expect, test } from "vitest";
import { createProject } from "../cli/command-line.ts";
import { token } from "../serve/serve-fixture.ts";
import { serve } from "../serve/serve-process.ts";
import { openPage } from "./open-page.ts";

/** Texts that would execute if the page took them for HTML or for an address. */
const markup = `<img src=x onerror="window.owned=1"><script>window.owned=2</script><svg onload="window.owned=3">`;
const links = `[one](javascript:window.owned=4) [two](data:text/html,<script>1</script>) ![three](https://example.com/spy.png) <https://example.com/fine>`;
const terminal = "\\u001b]0;owned\\u0007\\u001b[2J";

const script = `scripts:
  - when: { turn: 0 }
    reply:
      reasoning: '${markup.replaceAll("'", "''")}'
      text: ${JSON.stringify(`${markup}\n\n${links}\n\n# ${markup}\n\n- ${markup}\n\n| a |\n|---|\n| ${markup} |`)}
      calls:
        - { tool: Bash, input: { command: ${JSON.stringify(`printf '%s' '${markup}'`)}, description: ${JSON.stringify(markup)} } }
        - { tool: ${JSON.stringify("<b>none</b>")}, input: { x: ${JSON.stringify(markup)} } }
  - reply: { text: "${terminal} the end" }
`;

const name = "<img src=x onerror=window.owned=5>";
const evals = `cases:
  - { name: ${JSON.stringify(name)}, agent: evil, task: ${JSON.stringify(markup)}, expect: { output: { contains: ${JSON.stringify(markup)} } } }
`;
const recipe = `title: Bad
description: ${JSON.stringify(markup)}
prompt: Say {{ what }}.
parameters: [{ key: what, input_type: string, requirement: optional, default: ${JSON.stringify(markup)}, description: ${JSON.stringify(markup)} }]
`;

test("nothing that a model, a tool, an agent or a user says is executed or loaded", async () => {
  const agent = `---\nname: evil\ndescription: ${JSON.stringify(markup)}\n---\n${markup}\n`;
  const project = createProject({
    "script.yaml": script,
    "evals.yaml": evals,
    ".cadre/agents/evil.md": agent,
    ".cadre/recipes/bad.yaml": recipe,
  });
  project.environment["CADRE_SERVE_TOKEN"] = token;
  const served = await serve({ project, mode: "auto" });
  const { page, problems, go } = await openPage(served);
  const outside: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(served.url)) outside.push(request.url());
  });
  const request = { agent: "evil", task: `${markup} ${links}`, label: "<i>label</i>" };
  const { json } = await served.call("/runs", request);
  const id = String(json["run"].id);
  await go(`runs/${id}`);
  await page.getByText("Ended: succeeded").waitFor();
  for (const details of await page.locator(".block details > summary").all()) await details.click();
  await page.getByText("[one](javascript:window.owned=4)").first().waitFor();
  for (const tab of ["Steps", "Details", "Events"]) {
    await page.getByRole("button", { name: tab }).click();
  }
  await page.getByRole("button", { name: "Graph" }).click();
  await page.locator(".node").first().waitFor();
  expect(await page.locator(".node :is(img, script, svg, iframe, b, i)").count()).toBe(0);
  const startedEval = await served.call("/evals", {
    files: ["evals.yaml"],
    models: ["scripted:script.yaml"],
  });
  const evalId = String(startedEval.json["eval"].id);
  await go(`evals/${evalId}`);
  await page.getByText("Expected the output to contain").waitFor();
  const asking = await served.call("/runs", { ...request, mode: "ask" });
  for (const view of [
    "runs",
    "agents/evil",
    "start/evil",
    "questions",
    "start/bad",
    `compare/${id}/${id}`,
    `evals/${evalId}`,
    `compare-evals/${evalId}/${evalId}`,
  ]) {
    await go(view);
    await page.locator("main .view").waitFor();
    for (const summary of await page.locator("main summary:visible").all()) await summary.click();
    await page.locator("main").getByText("onerror").first().waitFor({ state: "attached" });
  }
  await served.call(`/runs/${String(asking.json["run"].id)}/cancel`, {});
  await go("runs");
  await page.getByRole("searchbox").fill("onerror");
  await page.locator("mark", { hasText: "onerror" }).first().waitFor();
  await go(`start/${encodeURIComponent(markup)}`);
  await page.getByRole("heading", { name: "Start a run" }).waitFor();
  await go(`runs/${encodeURIComponent(markup)}`);
  await page.getByRole("alert").waitFor();
  await go(`evals/${encodeURIComponent(markup)}`);
  await page.getByRole("alert").waitFor();
  expect(await page.evaluate(() => (globalThis as { owned?: number }).owned)).toBeUndefined();
  await go(`runs/${id}`);
  await page.getByText("Ended: succeeded").waitFor();
  const addresses = await page
    .locator("main a[href]")
    .evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  expect(
    addresses.filter((address) => !/^(?:#\/|https:\/\/example\.com\/fine$)/.test(address ?? "")),
  ).toEqual([]);
  expect(await page.locator("main :is(img, script, svg, iframe, b)").count()).toBe(0);
  expect(outside).toEqual([]);
  expect(problems).toEqual([]);
});
