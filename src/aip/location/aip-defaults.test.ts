import { join } from "node:path";
import { expect, test } from "vitest";
import { createAipProject } from "../../../test/fixtures/aip/aip-project.ts";
import { readAipDefaults } from "./aip-defaults.ts";

test("the workspace's options override the user's, and aliases are merged by name", async () => {
  const project = createAipProject();
  const { home, write } = project;
  write(
    join(home, ".aipack-base/config.toml"),
    '[options]\nmodel = "a"\ntemperature = 0.5\n[options.model_aliases]\nx = "1"\n',
  );
  write(
    ".aipack/config.toml",
    '[default_options]\nmodel = "b"\ninput_concurrency = "four"\n[model_aliases]\ny = "2"\n',
  );
  const cautious = await readAipDefaults({ ...project, isWorkspaceTrusted: false });
  expect(cautious.options).toEqual({ model: "a", temperature: 0.5, model_aliases: { x: "1" } });
  expect(cautious.diagnostics).toMatchObject([{ code: "not-trusted" }]);
  const { options, diagnostics } = await readAipDefaults(project);
  expect(options).toEqual({ model: "b", temperature: 0.5, model_aliases: { x: "1", y: "2" } });
  expect(diagnostics).toEqual([
    expect.objectContaining({
      code: "aip-options",
      line: 3,
      path: expect.stringMatching(/workspace/),
    }),
  ]);
});
