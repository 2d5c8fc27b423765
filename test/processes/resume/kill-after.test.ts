import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../fixtures/tool-call.ts";
import { createCadre } from "../../../src/runtime/create/create-cadre.ts";
import { cadreMatchers, killAfter, scriptedModel } from "../../../src/testing.ts";

expect.extend(cadreMatchers);

const program = join(import.meta.dirname, "../../fixtures/process/killed-kit-process.ts");

test("a run whose process was killed at any event is resumed", async () => {
  for (const events of [1, 3]) {
    const folder = temporaryFolder();
    const starting = promisify(execFile)(process.execPath, [program, folder, String(events)]);
    await expect(starting).rejects.toMatchObject({ signal: "SIGKILL" });
    const model = scriptedModel([{ reply: { text: "done" } }]);
    const project = { cwd: folder, home: folder, registry: join(folder, "state") };
    await using cadre = await createCadre({ ...project, model, environment: {} });
    const [run] = await cadre.resume();
    await expect(run).toHaveSucceeded();
    const killed = (await run?.journal())?.findLastIndex(({ type }) => type === "run-started");
    expect(killed).toBeGreaterThanOrEqual(events);
  }
});

test("a number of events below 1 is refused", () => {
  expect(() => killAfter({ onEvent: () => () => undefined }, 0)).toThrow(
    "Expected a number of events from 1, got 0.",
  );
});
