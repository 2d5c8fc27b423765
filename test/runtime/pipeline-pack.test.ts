import { describe, expect, test } from "vitest";
import { createPipeline, promptFile } from "../fixtures/pipeline-project.ts";

const lua = (title: string, code: string): string => `# ${title}\n\`\`\`lua\n${code}\n\`\`\`\n`;
const changesOne = lua("Output", 'return { coder_params = { note = "changed" } }');
const pack = ".aipack/custom/my/pack";

describe("an agent of an AIPack pack in a pipeline", () => {
  test.each([
    ["by reference", "my@pack/change", {}, "kept"],
    ["by path", `./${pack}/change.aip`, {}, "kept"],
    ["with merge_params: false", "my@pack/change", { merge_params: false }, undefined],
    ["outside of packs", "./change.aip", {}, undefined],
  ])(
    "returns the parameters it changes, and the others stay: %s",
    async (_, name, options, kept) => {
      const params = { sub_agents: [{ name, options }, "look"], mine: "kept" };
      const { run, calls } = await createPipeline(promptFile(params), {
        options: { trust: true },
        agents: { look: () => undefined },
        files: { [`${pack}/change.aip`]: changesOne, "change.aip": changesOne },
      });
      expect(await run()).toMatchObject({ status: "succeeded" });
      expect(calls[0]?.coder_params).toMatchObject({ note: "changed" });
      expect(calls[0]?.coder_params["mine"]).toBe(kept);
    },
  );
});
