import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createPipeline, promptFile } from "../fixtures/pipeline-project.ts";

const prompt = promptFile({ write_answer: true, sub_agents: [{ name: "review", on: "end" }] });
const write = (path: string) => [{ tool: "Write", input: { file_path: path, content: "x" } }];

describe("a prompt file with write_answer: true", () => {
  test("gets the answer with its cost and files, which is no part of the next prompt", async () => {
    const { run, project, server } = await createPipeline(prompt, {
      agents: { review: () => undefined },
      script: ({ turn }) => (turn === 0 ? write("src/a.txt") : "It is done."),
    });
    const first = await run();
    expect(first).toMatchObject({ status: "succeeded", text: "It is done.", warnings: [] });
    const read = (): string => readFileSync(join(project.folder, "prompts/prompt.md"), "utf8");
    const file = read();
    const info = [
      `> Run: ${first.runId}, succeeded after \\d+\\.\\ds`,
      "> Cost: unknown \\| Tokens: 20 in, 10 out",
      "> Files changed: src/a\\.txt",
    ];
    expect(file.slice(0, prompt.length)).toBe(prompt);
    expect(file.slice(prompt.length)).toMatch(
      new RegExp(`^\\n====\\n\\n${info.join("\\n")}\\n\\nIt is done\\.\\n$`),
    );
    const second = await run();
    expect(server.turns.at(-1)?.task).toBe(server.turns[0]?.task);
    expect(read()).toContain(`> Run: ${second.runId}, succeeded`);
    expect(read()).toContain(file.slice(prompt.length).trim());
  });

  test("is told why a run failed, behind what the coder said", async () => {
    const { run, project } = await createPipeline(prompt, {
      agents: { review: () => ({ success: false, error_msg: "too\nlong" }) },
    });
    expect(await run()).toMatchObject({ status: "failed" });
    const file = readFileSync(join(project.folder, "prompts/prompt.md"), "utf8");
    expect(file).toMatch(/> Run: .*, failed after/);
    expect(file).toMatch(/> Failed: Sub-agent \[review\] failed: too long\n\ndone\n$/);
  });

  test("stays as it is where it may not be written, and the result says so", async () => {
    const { run, project } = await createPipeline(prompt, {
      agents: { review: () => undefined },
      options: { mode: "plan" },
    });
    expect(await run()).toMatchObject({
      status: "succeeded",
      text: "done",
      warnings: [
        expect.stringMatching(
          /^The answer was not written into prompts\/prompt\.md: Permission denied for/,
        ),
      ],
    });
    expect(readFileSync(join(project.folder, "prompts/prompt.md"), "utf8")).toBe(prompt);
  });
});
