import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { beginRecord } from "./eval-record.ts";
import { findRecordings } from "./find-recordings.ts";

test("a resumed eval replays the folder that its file names only in a trusted project", async () => {
  const state = await mkdtemp(join(tmpdir(), "cadre-eval-"));
  const recordings = { folder: "/elsewhere", mode: "replay" } as const;
  const start = { cases: [], trials: 0, settings: {} };
  await (await beginRecord(state, { id: "one", ...start, recordings })).end(true);
  await (await beginRecord(state, { id: "two", ...start })).end(true);
  const find = async (resume: string, isTrusted: boolean): Promise<unknown> =>
    await findRecordings(state, {
      resume,
      cadreOptions: { cwd: "/project" },
      isTrusted: (path) => isTrusted && path === "/project",
    });
  await expect(find("one", false)).rejects.toMatchObject({
    code: "not-trusted",
    message:
      "The eval one replays /elsewhere, and the folder of the project is not trusted. Add `--replay /elsewhere` if it may, or trust the folder with `cadre trust`.",
  });
  expect(await find("one", true)).toEqual({ recordings });
  expect(await find("two", false)).toEqual({});
});
