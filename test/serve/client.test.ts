import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { ApiError, createClient } from "../../src/client.ts";
import { apiRoutes } from "../../src/serve/api/api-routes.ts";
import { serveInProcess, token } from "./serve-fixture.ts";

describe("the client", () => {
  test("has a method for each operation of the API", () => {
    const operations = apiRoutes.map(({ operation }) => operation).toSorted();
    // One operation has two kinds of responses.
    const methods = Object.keys(createClient()).filter((name) => name !== "listRunEvents");
    expect(methods.toSorted()).toEqual(operations);
  });

  test("starts a run once for a key, follows it, and reads all of it", async () => {
    const { url } = await serveInProcess();
    const client = createClient({ url, token });
    const request = { agent: "main", task: "delegate" };
    const { run } = await client.startRun(request, { idempotencyKey: "once" });
    expect((await client.startRun(request, { idempotencyKey: "once" })).run.id).toBe(run.id);
    const parts = await collect(client.streamRun(run.id, { descendants: true }));
    expect(parts.at(-1)).toMatchObject({ type: "run-finished", runId: run.id });
    expect(parts.some(({ type, runId }) => type === "text" && runId !== run.id)).toBe(true);
    const events = await collect(client.readRunEvents(run.id, { after: 1 }));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 2));
    expect((await client.readResult(run.id, { wait: 5 })).result.text).toBe("done");
    expect((await client.readFamily(run.id)).runs).toHaveLength(2);
    expect((await client.readTree("last")).runs[0]?.isLeft).toBe(false);
    expect((await client.readTranscript(run.id)).parts.length).toBeGreaterThan(3);
    expect((await client.readBudget(run.id)).used.toolCalls).toBe(1);
    const listed = await client.listRuns({ status: ["succeeded", "failed"], all: true, limit: 1 });
    expect(listed).toMatchObject({ runs: [{ agent: "worker" }], next: expect.any(String) });
    const found = await client.listConversations({ limit: 1 });
    expect(found.conversations).toMatchObject([{ lastRunId: run.id }]);
    expect((await client.listAgents()).agents.map(({ name }) => name)).toContain("worker");
    expect((await client.listRecipes()).recipes).toEqual([]);
    expect((await client.readUsage({ group: "agent" })).periods).toHaveLength(2);
    expect((await client.listCache()).entries).toEqual([]);
    expect(await client.clearCache()).toEqual({ deleted: 0 });
    const again = await client.continueRun(run.id, { task: "more" });
    await client.readResult(again.run.id);
    const forked = await client.forkRun(run.id, { task: "other" });
    expect(forked.run.lineage).toMatchObject({ kind: "fork", runId: run.id });
  });

  test("answers, messages, raises, cancels and retries", async () => {
    const { url } = await serveInProcess();
    const client = createClient({ url, token });
    const { run } = await client.startRun({ agent: "main", task: "ask" });
    const events = client.readRunEvents(run.id);
    for await (const { type } of events) if (type === "approval-requested") break;
    const { questions } = await client.listQuestions();
    expect(questions).toMatchObject([{ runId: run.id, tool: "Bash" }]);
    expect((await client.sendMessage(run.id, { text: "hurry" })).messageId).not.toBeNull();
    expect((await client.raiseLimits(run.id, { timeoutSeconds: 9 })).run.addedSeconds).toBe(9);
    const question = questions[0]?.id ?? "";
    const answer = { decision: "deny", reason: "not now" } as const;
    expect(await client.answerQuestion({ question, answer })).toEqual({ isTaken: true });
    await client.readResult(run.id);
    const other = await client.startRun({ agent: "main", task: "ask" });
    expect(await client.cancelRun(other.run.id, { reason: "enough" })).toMatchObject({
      isCancelled: true,
    });
    const retried = await client.retryRun(other.run.id, { timeoutSeconds: 5 });
    expect(retried.run.lineage).toMatchObject({ kind: "retry" });
    await expect(client.resumeRun("none")).rejects.toMatchObject({ code: "run-not-found" });
  });

  test("throws what the server refuses, with its code and the wrong fields", async () => {
    const { url } = await serveInProcess();
    const client = createClient({ url: `${url}/`, token });
    await expect(client.readRun("none")).rejects.toMatchObject({
      name: "ApiError",
      code: "run-not-found",
      status: 404,
    });
    const wrong = client.startRun({ agent: "main", task: "x", temperature: 9 });
    await expect(wrong).rejects.toMatchObject({
      code: "invalid-argument",
      errors: [{ pointer: "/temperature" }],
    });
    const stranger = createClient({ url, token: "another-token-of-22-cha" });
    await expect(stranger.listRuns()).rejects.toMatchObject({ code: "not-signed-in", status: 401 });
    await expect(stranger.streamRun("last").next()).rejects.toBeInstanceOf(ApiError);
    const nobody = createClient({ url: "http://127.0.0.1:1", token });
    await expect(nobody.listRuns()).rejects.toMatchObject({ code: "unreachable", status: 0 });
    const reason = new Error("enough");
    const call = client.readResult("last", {}, { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
  });

  test("continues with the events after a broken connection, and misses and repeats none", async () => {
    const served = await serveInProcess();
    const { proxy, cut } = await startCuttingProxy(Number(new URL(served.url).port));
    const client = createClient({ url: proxy, token });
    const direct = createClient({ url: served.url, token });
    const { run } = await client.startRun({ agent: "main", task: "ask" });
    const seen: number[] = [];
    for await (const { type, seq } of client.readRunEvents(run.id)) {
      seen.push(seq);
      if (type !== "approval-requested") continue;
      cut();
      const [question] = (await direct.listQuestions()).questions;
      const answer = { decision: "allow", scope: "once" } as const;
      await direct.answerQuestion({ question: question?.id ?? "", answer });
    }
    const { events } = (await served.call(`/runs/${run.id}/events`)).json as {
      events: { seq: number }[];
    };
    expect(seen).toEqual(events.map(({ seq }) => seq));
  });
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Starts a proxy that can cut all its connections. */
async function startCuttingProxy(port: number): Promise<{ proxy: string; cut: () => void }> {
  const open = new Set<{ destroy(): void }>();
  const server = createServer((socket) => {
    const upstream = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => open.delete(one));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => open.forEach((socket) => socket.destroy());
  onTestFinished(() => {
    cut();
    server.close();
  });
  return { proxy: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cut };
}
