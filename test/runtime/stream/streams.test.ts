import { expect, test } from "vitest";
import type { RunStreamPart } from "../../../src/index.ts";
import { createModelProject } from "../../fixtures/project.ts";
import { collect, joinPieces, outline } from "../../fixtures/stream-parts.ts";
import { createControlledReply } from "../../fixtures/model/controlled-reply.ts";
import { type Delta, startStreamingServer } from "../../fixtures/streaming-server.ts";

test("what an agent says arrives piece by piece, while it is being said", async () => {
  const reply = createControlledReply();
  const server = await startStreamingServer(() => reply.script);
  const cadre = await createModelProject(server).open();
  const run = await cadre.spawn({ agent: "main", task: "go" });
  const texts: string[] = [];
  reply.send({ text: "one" });
  for await (const text of run.textStream) {
    texts.push(text);
    if (texts.length < 3) reply.send({ text: ` ${texts.length + 1}` });
    else reply.end();
  }
  expect(texts).toEqual(["one", " 2", " 3"]);
  expect(server.turns.map(({ isStreamed }) => isStreamed)).toEqual([true]);
  expect(await run.result()).toMatchObject({ text: "one 2 3" });
});

test("replies are streamed only while there is a reader", async () => {
  const server = await startStreamingServer(() => [{ text: "done" }]);
  const cadre = await createModelProject(server).open();
  const run = await cadre.spawn({ agent: "main", task: "go" });
  void run.textStream;
  void run.toUIMessageStream();
  await run.result();
  expect(await collect(run.textStream)).toEqual(["done"]);
  expect(server.turns.map(({ isStreamed }) => isStreamed)).toEqual([false]);
});

test("a stream has reasoning, arguments, calls and their results in order", async () => {
  const server = await startStreamingServer(({ turn }): Delta[] =>
    turn > 0
      ? [{ text: "It is " }, { text: "empty." }]
      : [
          { reasoning: "Look " },
          { reasoning: "first." },
          { text: "I look." },
          { index: 0, tool: "LS", input: "" },
          { index: 0, input: '{"path"' },
          { index: 0, input: ':"."}' },
        ],
  );
  const cadre = await createModelProject(server).open();
  const run = await cadre.spawn({ agent: "main", task: "go" });
  const live = await collect(run.stream());
  const joined = outline(live)
    .join("|")
    .replaceAll(/\|(?:text|reasoning) /g, " ");
  expect(live.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["text", "reasoning", "tool-input"]),
  );
  expect(joined).toContain("Look  first.");
  const late = await collect(run.stream());
  expect(outline(late)).toEqual([
    "run-created",
    "reasoning Look first.",
    "text I look.",
    'tool-call LS {"path":"."}',
    "reply-finished",
    "tool-result",
    "text It is empty.",
    "reply-finished",
    "run-finished",
  ]);
  // They are equal except for the pieces.
  expect(joinPieces(live)).toEqual(joinPieces(late));
});

test("a stream that is left in the middle changes nothing, and can be read again", async () => {
  const reply = createControlledReply();
  const server = await startStreamingServer(({ turn }) =>
    turn === 0 ? reply.script : [{ text: "the end" }],
  );
  const cadre = await createModelProject(server).open();
  const run = await cadre.spawn({ agent: "main", task: "go" });
  reply.send({ text: "begun" });
  for await (const part of run.stream()) if (part.type === "text") break;
  reply.send({ text: " and done" });
  // Another reader begins in the middle of the reply.
  const late = run.textStream[Symbol.asyncIterator]();
  expect(await late.next()).toMatchObject({ value: expect.stringMatching(/^begun/) as string });
  await late.return?.();
  reply.send({ index: 0, tool: "LS", input: "{}" });
  reply.end();
  expect(await run.result()).toMatchObject({ text: "the end" });
  // There was no reader any more when the second request was made.
  expect(server.turns.map(({ isStreamed }) => isStreamed)).toEqual([true, false]);
  expect((await collect(run.textStream)).join("")).toBe("begun and done\n\nthe end");
});

test("a reader that is slow or does not come back makes nothing pile up", async () => {
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
  const size = 5000;
  const server = await startStreamingServer(async function* () {
    yield { text: "begun" };
    await isRead;
    for (let count = 0; count < size; count += 1) yield { text: " more" };
  });
  const cadre = await createModelProject(server).open();
  const run = await cadre.spawn({ agent: "main", task: "go" });
  const slow = run.textStream[Symbol.asyncIterator]();
  const abandoned = run.stream()[Symbol.asyncIterator]();
  const first = await slow.next();
  await abandoned.next();
  read();
  const { text } = await run.result();
  const rest: string[] = [];
  for (let one = await slow.next(); one.done !== true; one = await slow.next())
    rest.push(one.value);
  // The text that arrived meanwhile is one piece from the journal, not five thousand.
  expect(rest).toHaveLength(1);
  expect(`${first.value}${rest.join("")}` === text).toBe(true);
  expect(text).toHaveLength("begun".length + size * " more".length);
});

test("a reply that breaks off is declared void, and comes once more", async () => {
  const reply = createControlledReply();
  let requests = 0;
  const server = await startStreamingServer(() => {
    requests += 1;
    return requests === 1 ? reply.script : [{ text: "A whole answer." }];
  });
  const cadre = await createModelProject(server).open();
  const run = await cadre.spawn({ agent: "main", task: "go" });
  const texts = collect(run.textStream);
  reply.send({ text: "Half an" });
  const parts: RunStreamPart[] = [];
  for await (const part of run.stream()) {
    parts.push(part);
    if (part.type === "text") reply.send({ index: 0, tool: "LS", input: '{"pa' });
    if (part.type === "tool-input" && part.text !== "") reply.send({ drop: true });
  }
  const shown = outline(parts);
  const discarded = shown.indexOf("reply-discarded");
  expect(shown.slice(0, discarded)).toContain("text Half an");
  expect(shown.slice(discarded + 1)).toEqual([
    "text A whole answer.",
    "reply-finished",
    "run-finished",
  ]);
  // The pieces of the two replies do not belong together.
  const ids = parts.flatMap((part) => (part.type === "text" ? part.id : []));
  expect(new Set(ids).size).toBe(2);
  expect((await texts).join("")).toBe("Half an\n\nA whole answer.");
  expect((await collect(run.textStream)).join("")).toBe("A whole answer.");
});

test("a run that was stopped keeps what it said, for late readers too", async () => {
  const reply = createControlledReply();
  const server = await startStreamingServer(() => reply.script);
  const cadre = await createModelProject(server).open();
  const run = await cadre.spawn({ agent: "main", task: "go" });
  reply.send({ text: "I was about to" });
  const parts: RunStreamPart[] = [];
  let cancelling: Promise<boolean> | undefined;
  for await (const part of run.stream()) {
    parts.push(part);
    if (part.type === "text") cancelling = run.cancel("enough");
  }
  await cancelling;
  expect(outline(parts)).toEqual(["run-created", "text I was about to", "run-finished"]);
  expect(await collect(run.textStream)).toEqual(["I was about to"]);
  reply.end();
});

test("a program says its result", async () => {
  const run = () => "by a program";
  const cadre = await createModelProject().open({
    agents: [{ name: "clock", description: "x", run }],
  });
  const started = await cadre.spawn({ agent: "clock", task: "go" });
  expect(await collect(started.textStream)).toEqual(["by a program"]);
});

test("the output of a command arrives while it runs, and not in a late stream", async () => {
  const server = await startStreamingServer(({ turn }): Delta[] =>
    turn > 0
      ? [{ text: "done" }]
      : [
          {
            index: 0,
            tool: "Bash",
            input: '{"command":"echo one; until [ -e seen ]; do sleep 0.02; done; echo two"}',
          },
        ],
  );
  const project = createModelProject(server);
  const cadre = await project.open({ mode: "auto" });
  const run = await cadre.spawn({ agent: "main", task: "go" });
  const live: RunStreamPart[] = [];
  for await (const part of run.stream()) {
    live.push(part);
    // The command waits until its first line has been seen.
    if (part.type === "tool-output" && part.text.includes("one")) project.write("seen", "");
  }
  const ids = live.flatMap((part) => (part.type === "tool-output" ? [part.id] : []));
  expect(new Set(ids)).toEqual(new Set(["tool/1/0"]));
  const late = await collect(run.stream());
  expect(late.map(({ type }) => type)).not.toContain("tool-output");
  expect(late).toContainEqual(
    expect.objectContaining({ type: "tool-result", id: "tool/1/0", text: "one\ntwo" }),
  );
});
