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
import { assistantMessage, systemMessage, toolMessage, userMessage } from "../conversation.ts";
import { createRecordedModel } from "./recorded-model.ts";
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
  expect(replayed.map(replyOf)).toEqual(recorded.map(replyOf));
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

test.each([
  ["not json\n", "line 2 is not a recorded reply"],
  ['{"version":2,"key":"x","model":"m"}\n', "line 2 is not a recorded reply (request)"],
  ['{"version":2,"key":"x', "line 2, the last one, is cut off"],
  ['{"hash":"x"}\n', "line 2 has version 1 of the format, and this Cadre reads version 2"],
  ['{"version":9}\n', "line 2 has version 9 of the format"],
])("an invalid recording is refused: %j", async (text, problem) => {
  await writeFile(join(folder, "bad.ndjson"), `\n${text}`);
  for (const reference of ["replay:bad.ndjson", "record:bad.ndjson=haiku"]) {
    await expect(models.resolve(reference)).rejects.toThrow(problem);
  }
});

test("a recording that cannot be written is an error without a retry", async () => {
  server.answers = [message([{ type: "text", text: "Hi." }])];
  await expect(ask("record:missing/talk.ndjson=haiku", "first")).rejects.toMatchObject({
    code: "invalid-argument",
    message: expect.stringContaining("ENOENT"),
  });
  expect(server.asked).toBe(1);
});

test("an unknown request shows the difference to the most similar recorded one", async () => {
  server.answers = [
    message([{ type: "text", text: "Hi." }]),
    message([{ type: "text", text: "La." }]),
  ];
  await ask("record:talk.ndjson=haiku", "List the files\nof src");
  await ask("record:talk.ndjson=haiku", "Sing");
  await expect(ask("replay:talk.ndjson", "List the files\nof test")).rejects.toThrow(
    /most similar recorded request differs .*:\n- user: of src\n\+ user: of test$/,
  );
});

test("secrets of the environment, and the model's key, are not in the file", async () => {
  const token = "ghp_0123456789";
  await models.close();
  models = createModels({
    environment: {
      ANTHROPIC_API_KEY: secret,
      ANTHROPIC_BASE_URL: server.url,
      GITHUB_TOKEN: token,
      GIT_AUTHOR_NAME: "Adalovelace",
      // The same as a number that is no secret.
      PIN_SECRET: "10101010",
    },
    folder,
  });
  server.answers = [message([{ type: "text", text: `It is ${token}.` }])];
  await ask("record:talk.ndjson=haiku", `The keys are ${token} and ${secret}, says Adalovelace.`);
  const text = await readFile(join(folder, "talk.ndjson"), "utf8");
  expect(text).not.toMatch(/ghp_|very-secret/);
  expect(text).toContain("The keys are [secret] and [secret], says Adalovelace.");
  expect(text).toContain("It is [secret].");
  server.answers = [message([{ type: "text", text: "Hi." }])];
  const model = await models.resolve("record:talk.ndjson=haiku");
  const { signal } = new AbortController();
  const request = { prompt: [userMessage("Hi?")], tools: [], temperature: 10_101_010 };
  await askModel(model, request, { signal, stream: false });
});

test("a reply refers to the ids and the folders of the request that it answers", async () => {
  const recorded = { id: "mi9k2x0a-7f3q01c", folder: join(tmpdir(), "one") };
  const now = { id: "mjak2x0a-8f3q01d", folder: join(tmpdir(), "two") };
  const says = (one: typeof recorded): string => `Wait for ${one.id}, then read ${one.folder}/a.ts`;
  server.answers = [message([{ type: "text", text: `${says(recorded)} in ${folder}.` }])];
  await ask("record:talk.ndjson=haiku", `${says(recorded)} in ${folder}`);
  const reply = await ask("replay:talk.ndjson", `${says(now)} in ${folder}`);
  expect(reply.parts).toEqual([{ type: "text", text: `${says(now)} in ${folder}.` }]);
  expect(await readFile(join(folder, "talk.ndjson"), "utf8")).not.toContain(folder);
});

test("a conversation is written once, and each line has only its new messages", async () => {
  const call = { type: "tool_use", id: "t1", name: "Read", input: { path: "a" } };
  server.answers = [message([call]), message([{ type: "text", text: "Done." }])];
  const { signal } = new AbortController();
  const model = await models.resolve("record:talk.ndjson=haiku");
  const prompt = [systemMessage("You are one."), userMessage("the only task")];
  const first = await askModel(model, { prompt, tools: [] }, { signal, stream: false });
  const whole = [
    ...prompt,
    assistantMessage(first),
    toolMessage([{ id: "t1", tool: "Read", text: "x" }]),
  ];
  await askModel(model, { prompt: whole, tools: [] }, { signal, stream: false });
  const text = await readFile(join(folder, "talk.ndjson"), "utf8");
  expect(text.split("the only task")).toHaveLength(2);
  const replay = await models.resolve("replay:talk.ndjson");
  const again = await askModel(replay, { prompt: whole, tools: [] }, { signal, stream: true });
  expect(again.parts).toEqual([{ type: "text", text: "Done." }]);
});

test("`auto` replies from the file, and asks and records the missing replies", async () => {
  server.answers = [message([{ type: "text", text: "One." }])];
  const file = join(folder, "auto.ndjson");
  const findModel = async () => (await models.resolve("haiku")).language;
  const { signal } = new AbortController();
  for (let round = 0; round < 2; round += 1) {
    const language = await createRecordedModel({ file, mode: "auto", findModel, folder });
    const model = { id: "auto", language, price: null, contextTokens: 1000 };
    const request = { prompt: [userMessage("Hi?")], tools: [] };
    const reply = await askModel(model, request, { signal, stream: round === 1 });
    expect(reply.parts).toEqual([{ type: "text", text: "One." }]);
  }
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

function replyOf({ parts, finish, usage }: ModelReply): unknown {
  return { parts, finish, usage };
}
