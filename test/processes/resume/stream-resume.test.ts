import { startLibraryProcess } from "../../fixtures/process/start-library-process.ts";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import type { RunStreamPart } from "../../../src/index.ts";
import { createModelProject, type ModelProject } from "../../fixtures/project.ts";
import { collect, outline } from "../../fixtures/stream-parts.ts";
import { type Delta, startStreamingServer } from "../../fixtures/streaming-server.ts";

/** Starts a process that executes a run of the project. Resolves with the run's id and a function that kills it. */
async function startRun(project: ModelProject): Promise<{ id: string; kill(): Promise<void> }> {
  const child = startLibraryProcess(project, "spawn");
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return {
    id: JSON.parse(line) as string,
    async kill() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}

test("a stream of another process continues when the run is resumed after a kill", async () => {
  const asked = Promise.withResolvers<void>();
  let requests = 0;
  const server = await startStreamingServer(async function* ({ turn }): AsyncGenerator<Delta> {
    if (turn === 0) {
      yield { text: "I look." };
      yield { index: 0, tool: "LS", input: "{}" };
      return;
    }
    requests += 1;
    // The first process is killed in the middle of this reply.
    if (requests === 1) {
      yield { text: "Never" };
      asked.resolve();
      return await new Promise<never>(() => undefined);
    }
    yield { text: "It is " };
    yield { text: "empty." };
  });
  const project = createModelProject(server);
  const process = await startRun(project);
  const reader = await project.open();
  const run = await reader.find(process.id);
  const parts: RunStreamPart[] = [];
  const hasResult = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const part of run.stream()) {
      parts.push(part);
      if (part.type === "tool-result") hasResult.resolve();
    }
  })();
  const texts = collect(run.textStream);
  await Promise.all([asked.promise, hasResult.promise]);
  await process.kill();
  const other = await project.open();
  const [resumed] = await other.resume(process.id);
  const live = await collect(resumed?.textStream ?? []);
  await reading;
  expect(outline(parts)).toEqual([
    "run-created",
    "text I look.",
    "tool-call LS {}",
    "reply-finished",
    "tool-result",
    "text It is empty.",
    "reply-finished",
    "run-finished",
  ]);
  expect((await texts).join("")).toBe("I look.\n\nIt is empty.");
  expect(live.join("")).toBe("I look.\n\nIt is empty.");
});
