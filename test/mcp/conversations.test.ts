import { expect, test } from "vitest";
import { startModelServer } from "../fixtures/model-server.ts";
import { connectRaw, createFixture, dataOf, shakeHands, resultTextOf } from "./mcp-project.ts";

test("sessions_send continues a run that has ended, and returns the new result for the same id", async () => {
  const server = await startModelServer(({ last, turn }) => `${turn} <${last.at(-1)}>`);
  const raw = connectRaw(createFixture(server));
  await shakeHands(raw);
  const { runId } = dataOf(await raw.call("agent", { type: "main", prompt: "one" }));
  const sent = await raw.call("sessions_send", { runId, message: "two" });
  const [, continuedAs = ""] = /as run (\S+)\.$/.exec(resultTextOf(sent)) ?? [];
  expect(sent.result?.["structuredContent"]).toMatchObject({ runId, continuedAs });
  const waited = await raw.call("sessions_wait", { runIds: runId });
  expect(dataOf(waited)).toMatchObject({ results: [{ runId: continuedAs }] });
  expect(resultTextOf(waited)).toContain("1 <two>");
  const uri = `cadre://runs/${continuedAs}/transcript`;
  const read = await raw.ask("resources/read", { uri });
  expect(JSON.stringify(read.result)).toContain(`continues run ${String(runId)}`);
  const empty = await raw.call("sessions_send", { runId, message: " " });
  expect(empty.result).toMatchObject({ isError: true });
});
