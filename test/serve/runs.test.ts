import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cadre } from "../cli/command-line.ts";
import { authorized, createServedProject, readEvents, serveInProcess } from "./serve-fixture.ts";
import { awaitStatus, beginRun } from "./run-calls.ts";

describe("runs over HTTP", () => {
  test("are started, listed in pages, read as a family, a journal and a transcript", async () => {
    const fixture = await serveInProcess();
    const { call } = fixture;
    const id = await beginRun(fixture, "delegate");
    const { json } = await call(`/runs/${id}/result?wait=30`);
    expect(json["result"]).toMatchObject({ status: "succeeded", text: "done" });
    const family = (await call(`/runs/${id}/family`)).json["runs"];
    expect(family).toMatchObject([{ id }, { agent: "worker", parentId: id, isLeft: false }]);
    expect((await call(`/runs/${family[1].id}/tree`)).json["runs"]).toHaveLength(1);
    const page = (await call("/runs?all=true&limit=1")).json;
    expect(page).toMatchObject({ runs: [{ id: family[1].id }], next: family[1].id });
    const next = (await call(`/runs?all=true&limit=1&cursor=${page["next"]}`)).json;
    expect(next).toMatchObject({ runs: [{ id }], next: null });
    expect((await call("/runs?status=failed&status=cancelled")).json["runs"]).toEqual([]);
    const events = (await call(`/runs/${id}/events?after=1&limit=2`)).json;
    expect(events).toMatchObject({ events: [{ seq: 2 }, { seq: 3 }], last: 3 });
    const { parts } = (await call(`/runs/${id}/transcript`)).json;
    expect(parts.map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(["run-created", "tool-call", "tool-result", "text", "run-finished"]),
    );
    const all = (await call(`/events?root=${id}&limit=3`)).json;
    expect(all["events"]).toHaveLength(3);
    const rest = (await call(`/events?root=${id}&after=${all["position"]}`)).json;
    expect(rest["events"].at(-1).event).toMatchObject({ runId: id, type: "run-finished" });
    expect((await call("/usage?group=agent")).json["periods"]).toMatchObject([
      { group: "main", runs: 1 },
      { group: "worker", runs: 1 },
    ]);
    expect((await call(`/runs/${id}/budget`)).json).toMatchObject({ budget: null });
  });

  test("are not started with text that is not UTF-8, and wrong parameters are named with what came", async () => {
    const { call, url } = await serveInProcess();
    const body = Buffer.from('{"agent":"main","task":"caf\xe9"}', "latin1");
    const headers = { ...authorized, "content-type": "application/json" };
    const answer = await fetch(`${url}/api/v1/runs`, { method: "POST", headers, body });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("UTF-8 is expected");
    const detailOf = async (query: string): Promise<string> =>
      (await call(`/runs?${query}`)).json["detail"] as string;
    expect(await detailOf("limit=abc")).toContain('limit: expected a number, got "abc"');
    expect(await detailOf("limit=0")).toContain("limit: expected a number of at least 1, got 0");
    expect(await detailOf("status=broken")).toMatch(/status: expected "queued", .* got "broken"/);
  });

  test("have the context window that the configuration gives their model", async () => {
    const project = createServedProject();
    const lab = "{ baseUrl: 'http://127.0.0.1:9/v1', contextTokens: 64000 }";
    mkdirSync(join(project.home, ".cadre"), { recursive: true });
    writeFileSync(
      join(project.home, ".cadre/config.yaml"),
      `models: { endpoints: { lab: ${lab} } }\n`,
    );
    const { call } = await serveInProcess({ project });
    const { json } = await call("/runs", { agent: "main", task: "hello", model: "lab:m" });
    const { context } = (await call(`/runs/${json["run"].id}/budget`)).json;
    expect(context).toEqual({ tokens: 64_000, isAssumed: false });
  });

  test("ask questions, which are answered over the API, once", async () => {
    const fixture = await serveInProcess();
    const id = await beginRun(fixture, "ask");
    await awaitStatus(fixture, id, "awaiting-approval");
    const [question] = (await fixture.call("/questions")).json["questions"];
    expect(question).toMatchObject({ runId: id, title: "Bash: touch asked" });
    const wrong = { question: question.id, answer: { decision: "allow" } };
    expect((await fixture.call("/answers", wrong)).status).toBe(400);
    const allow = { question: question.id, answer: { decision: "allow", scope: "once" } };
    expect((await fixture.call("/answers", allow)).json).toEqual({ isTaken: true });
    expect((await fixture.call("/answers", allow)).json["detail"]).toContain("already answered");
    expect(await fixture.call("/answers", allow)).toMatchObject({
      status: 409,
      json: { code: "already-answered", details: { answer: allow.answer } },
    });
    await awaitStatus(fixture, id, "succeeded");
  });

  test("get messages, are cancelled, retried, forked and continued", async () => {
    const fixture = await serveInProcess();
    const { call } = fixture;
    const id = await beginRun(fixture, "ask");
    await awaitStatus(fixture, id, "awaiting-approval");
    expect(
      (await call(`/runs/${id}/messages`, { text: "hurry" })).json["messageId"],
    ).not.toBeNull();
    const raised = await call(`/runs/${id}/raise`, { timeoutSeconds: 60 });
    expect(raised.json["run"]).toMatchObject({ id, addedSeconds: 60 });
    const none = await call(`/runs/${id}/raise`, { budget: { usd: 1 } });
    expect(none.json["detail"]).toContain("no budget of its own in usd");
    expect((await call(`/runs/${id}/cancel`, { reason: "enough" })).json).toMatchObject({
      isCancelled: true,
      run: { status: "cancelled" },
    });
    expect((await call(`/runs/${id}/messages`, { text: "late" })).json["messageId"]).toBeNull();
    const retried = await call(`/runs/${id}/retry`, { timeoutSeconds: 5 });
    expect(retried.status).toBe(201);
    expect(retried.json["run"].lineage).toMatchObject({ kind: "retry", runId: id });
    const ended = await beginRun(fixture, "hello");
    await awaitStatus(fixture, ended, "succeeded");
    const forked = await call(`/runs/${ended}/fork`, { task: "other" });
    expect(forked.json["run"].lineage).toMatchObject({ kind: "fork", runId: ended });
    const next = await call(`/runs/${ended}/continue`, { task: "and now?" });
    expect(next.json["run"].continues).toBe(ended);
    expect((await call(`/runs/${ended}/continue`, { task: "x", cwd: "/" })).status).toBe(400);
  });

  test("of other processes are listed, and followed live", async () => {
    const fixture = await serveInProcess();
    const seen = readEvents(
      `${fixture.url}/api/v1/events?after=`,
      {},
      ({ type }) => type === "run-finished",
    );
    expect((await cadre(fixture.project, ["run", "hello"])).code).toBe(0);
    const events = await seen;
    expect(events.map(({ type }) => type)).toContain("run-created");
    const listed = (await fixture.call("/runs")).json["runs"];
    expect(listed).toMatchObject([{ id: events[0]?.data["runId"], status: "succeeded" }]);
  });
});

describe("a stream of events", () => {
  test("continues after the last event that a reader had", async () => {
    const fixture = await serveInProcess();
    const id = await beginRun(fixture, "delegate");
    const url = `${fixture.url}/api/v1/runs/${id}/events`;
    const first = await readEvents(url, {}, ({ id: seq }) => seq === "3");
    expect(first.map(({ id: seq }) => seq)).toEqual(["1", "2", "3"]);
    const rest = await readEvents(url, { "last-event-id": "3" }, () => false);
    expect(rest[0]?.id).toBe("4");
    expect(rest.at(-1)?.type).toBe("run-finished");
    const last = rest.at(-1)?.id ?? "";
    expect(await readEvents(url, { "last-event-id": last }, () => false)).toEqual([]);
    const wrong = await fetch(url, {
      headers: { ...authorized, accept: "text/event-stream", "last-event-id": "x" },
    });
    expect(wrong.status).toBe(400);
    const all = (await fixture.call(`/events?root=${id}`)).json["events"];
    const after = { "last-event-id": all[1].position as string };
    const again = await readEvents(`${fixture.url}/api/v1/events?root=${id}`, after, () => true);
    expect(again[0]?.id).toBe(all[2].position);
    const parts = await readEvents(`${fixture.url}/api/v1/runs/${id}/stream`, {}, () => false);
    expect(parts.at(-1)?.type).toBe("run-finished");
  });
});

test("agents, recipes and the cache are listed, and OpenAPI describes every route", async () => {
  const { call } = await serveInProcess();
  const { agents } = (await call("/agents")).json;
  expect(agents).toContainEqual(expect.objectContaining({ name: "worker", isUsable: true }));
  expect((await call("/recipes")).json).toEqual({ recipes: [], diagnostics: [] });
  expect((await call("/cache")).json).toEqual({ entries: [] });
  const { openapi, paths, components } = (await call("/openapi.json")).json;
  expect(openapi).toBe("3.1.0");
  const text = JSON.stringify(paths);
  for (const [, name = ""] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    expect(components.schemas).toHaveProperty([name]);
  }
  const { properties } = paths["/runs"].post.requestBody.content["application/json"].schema;
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(["agent", "task", "budget"]));
});
