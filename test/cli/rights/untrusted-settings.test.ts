import { expect, test } from "vitest";
import { cadre, createProject } from "../command-line.ts";

test("settings that an untrusted project cannot make are one warning, which counts them and names their places", async () => {
  const project = createProject({
    ".cadre/config.yaml": `model: sonnet
triggers:
  review: { start: { agent: main, task: Review. } }
  release: { graph: release.yaml }
`,
  });
  const { stderr } = await cadre(project, ["runs"]);
  const warnings = stderr.split("\n").filter((line) => line.includes("was ignored"));
  expect(warnings).toEqual([
    expect.stringMatching(
      /`model` was ignored: the folder is not trusted.*\(2 more like it: config\.yaml:3, config\.yaml:4\)$/,
    ),
  ]);
});
