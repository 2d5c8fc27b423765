import { errorMessage } from "../../../src/error-message.ts";
import { readUIMessageStream, type UIMessage, type UIMessageChunk as SdkChunk } from "ai";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { RunHandle } from "../../../src/index.ts";
import type { UIMessageChunk, UIMessageData, UIMessageMetadata } from "../../../src/host.ts";
import { createModelProject } from "../../fixtures/project.ts";
import { collect } from "../../fixtures/stream-parts.ts";
import { type Delta, startStreamingServer } from "../../fixtures/streaming-server.ts";

type RunMessage = UIMessage<
  UIMessageMetadata,
  { [Name in keyof UIMessageData]: UIMessageData[Name] }
>;

/** Returns the message that the AI SDK creates from the stream of a run, and the errors that it reports. */
async function readMessage(
  run: RunHandle,
): Promise<{ message: RunMessage | undefined; errors: string[] }> {
  const errors: string[] = [];
  const messages = readUIMessageStream<RunMessage>({
    stream: run.toUIMessageStream(),
    onError: (error) => errors.push(errorMessage(error)),
  });
  return { message: (await collect(messages)).at(-1), errors };
}

test("the chunks are those of the AI SDK", () => {
  expectTypeOf<UIMessageChunk>().toExtend<
    SdkChunk<UIMessageMetadata, { [Name in keyof UIMessageData]: UIMessageData[Name] }>
  >();
});

test("becomes a message with its steps, reasoning, tool calls, children and metadata", async () => {
  const server = await startStreamingServer(({ task, turn }): Delta[] => {
    if (task === "below") return [{ text: "from below" }];
    if (turn > 0) return [{ text: "All " }, { text: "done." }];
    return [
      { reasoning: "Hm." },
      { text: "I look." },
      { index: 0, tool: "LS", input: '{"path":' },
      { index: 0, input: '"."}' },
      { index: 1, tool: "Agent", input: '{"type":"main","prompt":"below"}' },
      { index: 2, tool: "Read", input: '{"file_path":"missing.txt"}' },
    ];
  });
  const cadre = await createModelProject(server).open();
  const run = await cadre.spawn({ agent: "main", task: "go" });
  const live = await readMessage(run);
  const late = await readMessage(run);
  expect(late).toEqual(live);
  expect(live.errors).toEqual([]);
  const { message } = live;
  expect(message).toMatchObject({
    id: run.id,
    role: "assistant",
    metadata: { runId: run.id, status: "succeeded", runs: 2, turns: 3, toolCalls: 3 },
  });
  const [, child] = await cadre.tree(run.id);
  const parts = message?.parts ?? [];
  expect(parts.filter(({ type }) => type !== "data-run")).toMatchObject([
    { type: "step-start" },
    { type: "reasoning", text: "Hm.", state: "done" },
    { type: "text", text: "I look.", state: "done" },
    { toolName: "LS", state: "output-available", input: { path: "." } },
    { toolName: "Agent", state: "output-available" },
    { toolName: "Read", state: "output-error" },
    { type: "step-start" },
    { type: "text", text: "All done.", state: "done" },
  ]);
  expect(parts.filter(({ type }) => type === "data-run")).toEqual([
    {
      type: "data-run",
      id: child?.id,
      data: { runId: child?.id, agent: "main", task: "below", label: null, status: "succeeded" },
    },
  ]);
});

test("streams an output while it is written, and has it as data", async () => {
  const server = await startStreamingServer((): Delta[] => [
    { index: 0, tool: "final_output", input: '{"files":' },
    { index: 0, input: '["a.ts"]}' },
  ]);
  const cadre = await createModelProject(server).open();
  const outputSchema = { type: "object", properties: { files: { type: "array" } } };
  const run = await cadre.spawn({ agent: "main", task: "go", outputSchema });
  const { message } = await readMessage(run);
  expect(message?.parts).toMatchObject([
    { type: "step-start" },
    { type: "dynamic-tool", toolName: "final_output", state: "output-available" },
    { type: "data-output", data: { files: ["a.ts"] } },
  ]);
});

describe("an end that is no success", () => {
  test("of a run that failed is an error", async () => {
    const server = await startStreamingServer(({ turn }): Delta[] => [
      { text: `turn ${turn}` },
      { index: 0, tool: "LS", input: "{}" },
    ]);
    const cadre = await createModelProject(server).open();
    const run = await cadre.spawn({ agent: "main", task: "go", maxTurns: 1 });
    const { message, errors } = await readMessage(run);
    expect(errors).toEqual([expect.stringContaining("within its 1 turns")]);
    expect(message?.metadata).toMatchObject({ status: "failed" });
  });

  test("of a cancelled run is an abort, which ends its open calls", async () => {
    const server = await startStreamingServer(async function* (): AsyncGenerator<Delta> {
      yield { text: "I was about to" };
      yield { index: 0, tool: "LS", input: '{"pa' };
      await new Promise(() => undefined);
    });
    const cadre = await createModelProject(server).open();
    const run = await cadre.spawn({ agent: "main", task: "go" });
    const chunks: UIMessageChunk[] = [];
    let cancelling: Promise<boolean> | undefined;
    for await (const chunk of run.toUIMessageStream()) {
      chunks.push(chunk);
      if (chunk.type === "tool-input-delta") cancelling = run.cancel("enough");
    }
    await cancelling;
    expect(chunks.slice(-4)).toMatchObject([
      { type: "tool-output-error", toolCallId: "tool/1/0" },
      { type: "finish-step" },
      { type: "abort", reason: "enough" },
      { type: "finish", finishReason: "error", messageMetadata: { status: "cancelled" } },
    ]);
    expect((await readMessage(run)).message?.parts).toMatchObject([
      { type: "step-start" },
      { type: "text", text: "I was about to" },
    ]);
  });
});

test("a stream that its reader cancels stops reading, and the run continues", async () => {
  const gate = Promise.withResolvers<void>();
  const server = await startStreamingServer(async function* (): AsyncGenerator<Delta> {
    yield { text: "begun" };
    await gate.promise;
    yield { text: " and done" };
  });
  const cadre = await createModelProject(server).open();
  const run = await cadre.spawn({ agent: "main", task: "go" });
  const reader = run.toUIMessageStream().getReader();
  for (;;) {
    const { value } = await reader.read();
    if (value?.type === "text-delta") break;
  }
  // A read is pending, like that of a server whose browser has disconnected.
  const waiting = reader.read();
  await reader.cancel();
  expect(await waiting).toEqual({ done: true, value: undefined });
  gate.resolve();
  expect(await run.result()).toMatchObject({ status: "succeeded", text: "begun and done" });
});
