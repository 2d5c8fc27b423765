import { afterEach, beforeEach, expect, test } from "vitest";
import { startModelServer } from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";

const warnings: string[] = [];
const onWarning = ({ message }: Error): void => void warnings.push(message);

beforeEach(() => {
  warnings.length = 0;
  process.on("warning", onWarning);
});

afterEach(() => {
  process.off("warning", onWarning);
});

test("listeners that throw are reported once each, and change nothing", async () => {
  const server = await startModelServer(({ turn }) =>
    turn === 0 ? [{ tool: "LS", input: {} }] : "It is done.",
  );
  const cadre = await createModelProject(server).open();
  const seen: string[] = [];
  cadre.onEvent(() => {
    throw new Error("broken event listener");
  });
  const rejecting = (): unknown => Promise.reject(new Error("broken asynchronous listener"));
  cadre.onEvent(rejecting);
  cadre.onActivity(() => {
    throw new Error("broken activity listener");
  });
  cadre.onEvent((event) => seen.push(event.type));
  const run = await cadre.spawn({ agent: "main", task: "go" });
  expect(await run.result()).toMatchObject({ status: "succeeded", text: "It is done." });
  expect((await run.journal()).map(({ type }) => type)).toEqual(seen);
  // Another run of the same Cadre shows that its registry still works.
  const again = await cadre.spawn({ agent: "main", task: "go on" });
  expect(await again.result()).toMatchObject({ status: "succeeded" });
  await cadre.close();
  const reported = warnings.filter((message) => message.includes("broken"));
  expect(reported.toSorted()).toEqual([
    expect.stringContaining("onActivity threw: broken activity listener"),
    expect.stringContaining("onEvent threw: broken asynchronous listener"),
    expect.stringContaining("onEvent threw: broken event listener"),
  ]);
});
