import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Cadre, createCadre } from "../../../src/index.ts";
import { showReplies } from "../../../src/cli/run/show-replies.ts";
import { unpainted } from "../../../src/cli/terminal/paint.ts";
import { createFamilyTreeView } from "../../../src/cli/view/family-tree-view.ts";
import { postgres } from "../../../src/postgres.ts";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import {
  createWorkerFixture,
  startReadyWorker,
  submit,
  poll,
} from "../../fixtures/postgres/worker-fixture.ts";
import { createControlledReply } from "../../fixtures/model/controlled-reply.ts";
import { startStreamingServer, type StreamingServer } from "../../fixtures/streaming-server.ts";
import type { Project } from "../../cli/command-line.ts";

/** Creates a project whose model is `server`. */
async function createFixture(server: StreamingServer): Promise<Project> {
  const project = await createWorkerFixture("scripts: []");
  const config = { models: { endpoints: { mock: { baseUrl: server.baseUrl } } } };
  mkdirSync(join(project.home, ".cadre"), { recursive: true });
  writeFileSync(join(project.home, ".cadre", "config.yaml"), JSON.stringify(config));
  return { ...project, environment: { ...project.environment, CADRE_MODEL: "mock:mock" } };
}

/** Opens a Cadre that the registry takes for another process. */
async function openReader({ path, home, environment }: Project): Promise<Cadre> {
  const registry = postgres({
    url: postgresUrl ?? "",
    schema: environment["CADRE_REGISTRY_SCHEMA"] ?? "",
  });
  const cadre = await createCadre({ cwd: path, home, environment, registry });
  onTestFinished(async () => await cadre.close());
  return cadre;
}

describe.skipIf(postgresUrl === undefined)("the reply of a run on a worker", () => {
  it("reaches a reader in another process while it arrives", async () => {
    const reply = createControlledReply();
    // The worker continues until it knows about the reader.
    const server = await startStreamingServer(({ isStreamed }) =>
      isStreamed ? reply.script : [{ index: 0, tool: "LS", input: "{}" }],
    );
    const project = await createFixture(server);
    const id = await submit(project, "hello");
    const run = await (await openReader(project)).find(id);
    const texts = run.textStream[Symbol.asyncIterator]();
    const first = texts.next();
    await startReadyWorker(project);
    reply.send({ text: "one" });
    expect(await first).toMatchObject({ value: "one" });
    // The next piece is sent when the previous one has arrived, so nothing of the reply is recorded yet.
    reply.send({ text: " two" });
    expect(await texts.next()).toMatchObject({ value: " two" });
    reply.send({ text: " three" });
    reply.end();
    const rest: string[] = [];
    for await (const text of { [Symbol.asyncIterator]: () => texts }) rest.push(text);
    expect(rest.join("")).toBe(" three");
    expect(await run.result()).toMatchObject({ status: "succeeded", text: "one two three" });
  });

  it("is shown by `cadre attach` until it is complete", async () => {
    const reply = createControlledReply();
    const server = await startStreamingServer(({ isStreamed }) =>
      isStreamed ? reply.script : [{ index: 0, tool: "LS", input: "{}" }],
    );
    const project = await createFixture(server);
    const cadre = await openReader(project);
    const id = await submit(project, "hello");
    const view = createFamilyTreeView();
    const rowOf = (): string => {
      const [row] = view.rows(10);
      const drawn = { columns: 120, paint: unpainted };
      return row === undefined ? "" : view.draw(row, drawn);
    };
    const { signal } = new AbortController();
    const showing = showReplies(cadre, id, { display: view, signal });
    await startReadyWorker(project);
    reply.send({ text: "I look at it" });
    await expect
      .poll(async () => (view.take(await cadre.tree(id)), rowOf()), poll)
      .toContain("I look at it");
    reply.end();
    await showing;
    expect(rowOf()).not.toContain("I look at it");
  });

  it("is not streamed while it has no reader", async () => {
    const server = await startStreamingServer(() => [{ text: "done" }]);
    const project = await createFixture(server);
    await startReadyWorker(project);
    const run = await (await openReader(project)).find(await submit(project, "hello"));
    expect(await run.result()).toMatchObject({ status: "succeeded", text: "done" });
    expect(server.turns.map(({ isStreamed }) => isStreamed)).toEqual([false]);
  });
});
