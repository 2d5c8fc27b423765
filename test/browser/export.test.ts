import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { agentFile, cadre, createProject } from "../cli/command-line.ts";

const markup = `<img src=x onerror="window.owned=1"><script>window.owned=2</script>`;

const script = `scripts:
  - when: { agent: worker }
    reply: { text: ${JSON.stringify(`The worker says ${markup}`)} }
  - when: { turn: 0 }
    reply:
      text: "I ask one."
      calls: [{ tool: Agent, input: { type: worker, prompt: ${JSON.stringify(`count ${markup}`)} } }]
  - reply: { text: "All done." }
`;

test("an exported family is read without a server, loads nothing and executes nothing", async () => {
  const project = createProject({
    "script.yaml": script,
    ".cadre/agents/worker.md": agentFile("worker"),
  });
  expect((await cadre(project, ["run", "delegate it"])).code).toBe(0);
  expect((await cadre(project, ["export", "last", "--output", "family.html"])).code).toBe(0);
  const executablePath = process.env["CADRE_TEST_CHROMIUM"] ?? "";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  onTestFinished(async () => await browser.close());
  const page = await browser.newPage();
  const requests: string[] = [];
  const problems: string[] = [];
  page.on("request", (request) => void requests.push(request.url()));
  page.on("pageerror", ({ message }) => void problems.push(message));
  const address = pathToFileURL(join(project.path, "family.html")).href;
  await page.goto(address);
  for (const text of ["delegate it", "I ask one.", "The worker says", "All done."]) {
    await page.getByText(text).first().waitFor({ state: "attached" });
  }
  // Folded parts can be opened without a script.
  for (const summary of await page.locator("summary:visible").all()) await summary.click();
  expect(await page.locator("img, script, iframe").count()).toBe(0);
  expect(await page.evaluate(() => (globalThis as { owned?: number }).owned)).toBeUndefined();
  expect(requests).toEqual([address]);
  expect(problems).toEqual([]);
});
