import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/fixtures/tool-call.ts";
import { cadreMatchers, createTestCadre, recordedModel, scriptedModel } from "../testing.ts";

expect.extend(cadreMatchers);

const files = {
  ".cadre/agents/helper.md": "---\nname: helper\ndescription: helps\n---\nYou are the helper.\n",
};
const call = { tool: "Agent", input: { type: "helper", prompt: "help" } };

test("a family is recorded once, and replayed in another project", async () => {
  const file = join(temporaryFolder(), "talk.ndjson");
  const model = scriptedModel(({ task, turn }) => {
    if (task.includes("help")) return { text: "I helped, s3cret." };
    return turn === 0 ? { calls: [call, call] } : { text: "All done." };
  });
  const texts: string[] = [];
  for (const mode of ["auto", "auto", "replay"] as const) {
    const given = mode === "replay" ? {} : { model, secrets: ["s3cret"] };
    const recorded = await recordedModel({ file, mode, ...given });
    await using cadre = await createTestCadre({ files, model: recorded });
    const run = await cadre.spawn({ agent: "main", task: "go" });
    await expect(run).toHaveDelegatedTo("helper");
    texts.push((await run.result()).text);
  }
  expect(texts).toEqual(["All done.", "All done.", "All done."]);
  expect(model.requests).toHaveLength(4);
  expect(await readFile(file, "utf8")).not.toContain("s3cret");
});

test("a mode without its model, and a mode that does not exist, are refused", async () => {
  const file = join(temporaryFolder(), "none.ndjson");
  await expect(recordedModel({ file, mode: "auto" })).rejects.toThrow(
    /Expected a `model` to ask for what is not in .*none.ndjson/,
  );
  await expect(recordedModel({ file, mode: "play" as never })).rejects.toThrow(
    'Expected the mode replay, record, auto, got "play".',
  );
  await expect(recordedModel({ file, mode: "replay" })).rejects.toThrow("could not be read");
});
