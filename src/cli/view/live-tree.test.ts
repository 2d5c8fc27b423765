import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { createRun } from "../../../test/cli/create-run.ts";
import { readScreen } from "../../../test/cli/screen.ts";
import { createLiveTree } from "./live-tree.ts";
import type { RunEvent } from "../../host.ts";

test("the text of a run keeps the spaces between its chunks", async () => {
  const screen = new PassThrough();
  const stream = Object.assign(screen, { columns: 80, rows: 24, isTTY: true });
  const display = createLiveTree(stream as unknown as NodeJS.WriteStream);
  const run = createRun({ status: "running" });
  display.event({ type: "run-started", runId: run.id } as RunEvent, run);
  for (const chunk of ["Hello", " big", " ", "world.\n", "Again", "\u001b[2J!"]) {
    display.activity?.({ runId: run.id, type: "text", step: "model/1", id: "0", text: chunk });
  }
  await display.stop();
  screen.end();
  expect(readScreen(await text(screen)).join("\n")).toContain("Hello big world. Again!");
});
