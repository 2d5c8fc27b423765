import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type FakeAnthropic,
  message,
  sse,
  startFakeAnthropic,
  wholeStream,
} from "../../../test/fake-anthropic.ts";
import { askModel } from "../request/ask-model.ts";
import { systemMessage, userMessage } from "../conversation.ts";
import { createModels, type Models } from "../provider/create-models.ts";
import type { ModelReply } from "../model.ts";

const secret = "sk-ant-very-secret-key";
let folder: string;
let server: FakeAnthropic;
let models: Models;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadre-record-"));
  server = await startFakeAnthropic();
  models = createModels({
    environment: { ANTHROPIC_API_KEY: secret, ANTHROPIC_BASE_URL: server.url },
    folder,
  });
});

afterEach(async () => {
  await models.close();
  server.close();
  await rm(folder, { recursive: true });
});

test("a recording is replayed, streamed or not, the replies to the same request in order", async () => {
  const call = { type: "tool_use", id: "t1", name: "Read", input: { path: "a" } };
  server.answers = [
    message([{ type: "text", text: "One." }, call]),
    sse(wholeStream, "end"),
    message([{ type: "text", text: "Two." }]),
  ];
  const recorded = [
    await ask("record:talk.ndjson=haiku", "first"),
    await ask("record:talk.ndjson=haiku", "second", true),
    await ask("record:talk.ndjson=haiku", "first"),
  ];
  expect(await readFile(join(folder, "talk.ndjson"), "utf8")).not.toContain(secret);

  const replayed = [
    await ask("replay:talk.ndjson", "first", true),
    await ask("replay:talk.ndjson", "second"),
    await ask("replay:talk.ndjson", "first"),
  ];
  expect(replayed.map(said)).toEqual(recorded.map(said));
  expect(server.asked).toBe(3);
  await expect(ask("replay:talk.ndjson", "first")).rejects.toThrow(
    "recorded 2 time(s) and requested once more",
  );
});

test("a recording stays valid on later days", async () => {
  server.answers = [message([{ type: "text", text: "Hi." }])];
  await ask("record:talk.ndjson=haiku", "first", false, "Today is 2026-11-21.");
  const reply = await ask("replay:talk.ndjson", "first", false, "Today is 2027-01-02.");
  expect(reply.parts).toEqual([{ type: "text", text: "Hi." }]);
});

test("a request that was not recorded shows the end of its conversation", async () => {
  await writeFile(join(folder, "empty.ndjson"), "");
  await expect(ask("replay:empty.ndjson", "first")).rejects.toMatchObject({
    code: "model-error",
    message: expect.stringMatching(/turn 0 .*ends with "first", was not recorded/),
  });
});

test("a failed call is not recorded", async () => {
  server.answers = [sse(wholeStream.slice(0, 3), "drop")];
  await expect(ask("record:talk.ndjson=haiku", "first", true)).rejects.toMatchObject({
    code: "model-error",
  });
  await expect(readFile(join(folder, "talk.ndjson"))).rejects.toMatchObject({ code: "ENOENT" });
});

test.each(["not json", '{"hash":"x"}'])("an invalid recording is refused: %s", async (text) => {
  await writeFile(join(folder, "bad.ndjson"), `\n${text}\n`);
  await expect(models.resolve("replay:bad.ndjson")).rejects.toThrow(
    "line 2 is not a recorded reply",
  );
});

test("a recording that cannot be written is an error without a retry", async () => {
  server.answers = [message([{ type: "text", text: "Hi." }])];
  await expect(ask("record:missing/talk.ndjson=haiku", "first")).rejects.toMatchObject({
    code: "invalid-argument",
    message: expect.stringContaining("ENOENT"),
  });
  expect(server.asked).toBe(1);
});

async function ask(
  reference: string,
  text: string,
  stream = false,
  instructions = "Be brief.",
): Promise<ModelReply> {
  const { signal } = new AbortController();
  const request = { prompt: [systemMessage(instructions), userMessage(text)], tools: [] };
  return await askModel(await models.resolve(reference), request, { signal, stream, retries: 0 });
}

function said({ parts, finish, usage }: ModelReply): unknown {
  return { parts, finish, usage };
}
