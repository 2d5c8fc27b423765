import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { completeOptions, type CompleteOptions } from "./complete-options.ts";
import { beginRecord, type EvalSettings } from "./eval-record.ts";
import type { Recordings } from "./eval-record.ts";
import type { RunEvalsOptions } from "./run-evals-options.ts";

const replayed: Recordings = { folder: "/else where", mode: "replay" };

/** Records an eval that was ended. Returns how a resume completes its options. */
async function endEval(
  start: { settings?: EvalSettings; recordings?: Recordings } = {},
): Promise<(isTrusted: boolean, given?: Partial<RunEvalsOptions>) => Promise<CompleteOptions>> {
  const state = await mkdtemp(join(tmpdir(), "cadre-eval-"));
  const record = { id: "one", cases: [], trials: 0, settings: {}, ...start };
  await (await beginRecord(state, record)).end(true);
  return async (isTrusted, given = {}) =>
    await completeOptions(state, undefined, {
      resume: "last",
      cadreOptions: { cwd: "/project" },
      isTrusted: (path) => isTrusted && path.startsWith("/project"),
      ...given,
    });
}

test("a resumed eval replays the folder that its file names only in a trusted project", async () => {
  const complete = await endEval({ recordings: replayed });
  await expect(complete(false)).rejects.toMatchObject({
    code: "not-trusted",
    message:
      "The eval one replays /else where, and the folder of the project is not trusted. Add `--replay '/else where'` if it may, or trust the folder with `cadre trust`.",
  });
  expect(await complete(true)).toMatchObject({ resume: "one", recordings: replayed });
  expect(await complete(false, { recordings: replayed })).toMatchObject({ recordings: replayed });
  expect(await (await endEval())(false)).not.toHaveProperty("recordings");
});

test("a resumed eval uses models of files that its file names only in a trusted project", async () => {
  const models = ["sonnet", "record:/elsewhere/talk.ndjson=haiku"];
  const complete = await endEval({ settings: { models, repeat: 3 } });
  await expect(complete(false)).rejects.toMatchObject({
    code: "not-trusted",
    message:
      "The eval one uses the model record:/elsewhere/talk.ndjson=haiku, which reads or writes a file, and the folder of the project is not trusted. Add `--model sonnet --model record:/elsewhere/talk.ndjson=haiku` if it may, or trust the folder with `cadre trust`.",
  });
  expect(await complete(true)).toMatchObject({ models, repeat: 3 });
  expect(await complete(false, { models: ["haiku"] })).toMatchObject({ models: ["haiku"] });
});

test("the cases in the file of a resumed eval are trusted only in a trusted project", async () => {
  const complete = await endEval();
  const isTrusted = (path: string): boolean => path.startsWith("/trusted");
  const { isTrusted: isOwnTrusted } = await complete(false, { isTrusted });
  expect(isOwnTrusted("/trusted/evals.yaml")).toBe(false);
  expect((await complete(true)).isTrusted("/project/evals.yaml")).toBe(true);
});

test.each([
  [{ folder: "/other", mode: "replay" } as const, "--replay /other"],
  [{ ...replayed, mode: "record" } as const, "--record '/else where'"],
])("a resumed eval refuses other recordings: %j", async (recordings, option) => {
  const complete = await endEval({ recordings: replayed });
  await expect(complete(true, { recordings })).rejects.toMatchObject({
    code: "invalid-argument",
    message: `The eval one replays /else where, and its finished trials are not repeated. Resume it with \`--replay '/else where'\`, or begin a new eval with \`${option}\`.`,
  });
});
