import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hang } from "../../fixtures/model-server.ts";
import { createPipeline, promptFileOf } from "../../fixtures/pipeline/pipeline-project.ts";

const prompt = promptFileOf({ write_answer: true, sub_agents: [{ name: "review", on: "end" }] });
const write = (path: string) => [{ tool: "Write", input: { file_path: path, content: "x" } }];

describe("a prompt file with write_answer: true", () => {
  test("gets the answer with its cost and files, which is not part of the next prompt", async () => {
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

  test("gets the reason of a failure after the coder's text", async () => {
    const { run, project } = await createPipeline(prompt, {
      agents: { review: () => ({ success: false, error_msg: "too\nlong" }) },
    });
    expect(await run()).toMatchObject({ status: "failed" });
    const file = readFileSync(join(project.folder, "prompts/prompt.md"), "utf8");
    expect(file).toMatch(/> Run: .*, failed after/);
    expect(file).toMatch(/> Failed: Sub-agent \[review\] failed: too long\n\ndone\n$/);
  });

  test("is unchanged if the run is cancelled", async () => {
    const { cadre, project, server } = await createPipeline(prompt, {
      agents: { review: () => undefined },
      script: () => hang,
    });
    const run = await cadre.spawn({ agent: "prompts/prompt.md" });
    await server.hung(1);
    await run.cancel("enough");
    expect(await run.result()).toMatchObject({ status: "cancelled", warnings: [] });
    expect(readFileSync(join(project.folder, "prompts/prompt.md"), "utf8")).toBe(prompt);
  });

  test("is unchanged if writing is not permitted, and the result says so", async () => {
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
