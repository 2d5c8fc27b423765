import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cadre, createProject } from "../cli/command-line.ts";

const evil = "<script>alert(1)</script> ```` tok-12345678-secret";

test("a family is exported as HTML, JSON Lines, Markdown and OTLP, without secrets and without markup", async () => {
  const project = createProject({
    "script.yaml": `scripts:\n  - reply: { text: ${JSON.stringify(evil)} }\n`,
  });
  project.environment["MY_TOKEN"] = "tok-12345678-secret";
  await cadre(project, ["run", "say it"]);
  const write = async (...words: string[]): Promise<string> => {
    const name = `out-${words.join("")}`;
    const ended = await cadre(project, ["export", "last", "--output", name, ...words]);
    expect(ended).toEqual({ code: 0, stdout: `wrote ${name}\n`, stderr: "" });
    return readFileSync(join(project.path, name), "utf8");
  };
  const html = await write();
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(html).not.toMatch(/<script/);
  expect(html).toContain("default-src 'none'");
  const [line = ""] = (await write("--format", "jsonl")).split("\n");
  expect(JSON.parse(line)).toMatchObject({
    run: { status: "succeeded" },
    parts: expect.any(Array),
  });
  const markdown = await write("--format", "md");
  expect(markdown).toContain("\n`````\n<script>");
  for (const text of [html, line, markdown]) {
    expect(text).toContain("[secret]");
    expect(text).not.toContain("tok-12345678");
  }
  const figures = await write("--format", "jsonl", "--no-content");
  expect(figures).not.toContain("say it");
  expect(figures).not.toContain("alert");
  const traces = await write("--format", "otlp");
  expect(traces).toContain("invoke_agent");
  expect(traces).toContain("[secret]");
  expect(traces).not.toContain("tok-12345678");
  expect(await write("--format", "otlp", "--no-content")).not.toMatch(/alert|say it/);
});

test("an export creates the folder of its file, and says why a file cannot be written", async () => {
  const project = createProject({ "script.yaml": "scripts:\n  - reply: { text: hello }\n" });
  await cadre(project, ["run", "say it"]);
  const write = async (name: string) => await cadre(project, ["export", "last", "--output", name]);
  expect(await write("reports/new/family.html")).toMatchObject({ code: 0, stderr: "" });
  const path = join(project.path, "reports/new/family.html");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const reasons = {
    "reports/new/family.html": "exists already, and is not replaced. Name a new file.",
    reports: "reports exists already",
    "script.yaml/family.html": "a folder in the path script.yaml/family.html is a file.",
  };
  for (const [name, reason] of Object.entries(reasons)) {
    const { code, stderr } = await write(name);
    expect(code).toBe(2);
    expect(stderr).toContain("Expected a file that can be written after --output; ");
    expect(stderr).toContain(reason);
  }
});
