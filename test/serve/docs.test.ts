import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { apiRoutes } from "../../src/serve/api/api-routes.ts";
import { createServedProject, serveInProcess, token } from "./serve-fixture.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/serve.md"), "utf8");

const recipe = `title: Review
description: Reviews a part of the project.
prompt: Review {{ target }}.
parameters: [{ key: target, input_type: string, requirement: required, description: What to review. }]
`;

test("every curl example of docs/serve.md works", async () => {
  const given = createServedProject();
  given.write("evals.yaml", "cases: [{ name: greets, task: hello }]\n");
  given.write("graph.yaml", "runs: [{ label: one, task: hello }]\n");
  given.write("prompts/fix.md", "Fix it.\n");
  given.write(".cadre/recipes/review.yaml", recipe);
  const { url, project } = await serveInProcess({ project: given });
  const examples = Array.from(page.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, text = ""]) => text);
  expect(examples.length).toBeGreaterThan(4);
  const env = { ...project.environment, URL: url, TOKEN: token };
  for (const text of examples) {
    const { stdout } = await promisify(execFile)("sh", ["-c", text.replace("curl", "curl -f")], {
      env,
    });
    expect(stdout, text).toMatch(
      /^(?:\{"(?:run|result|runs|periods|projects|hits|eval)"|: open\n\nid: 1\n)/,
    );
  }
});

test("docs/serve.md names every route", () => {
  for (const { method, path } of apiRoutes) {
    const last = `/${path.split("/").at(-1)}`;
    const isNamed = page.includes(`\`${method} ${path}\``) || page.includes(`\`${last}\``);
    expect(isNamed, `${method} ${path}`).toBe(true);
  }
});
