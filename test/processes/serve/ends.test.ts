import { expect, test } from "vitest";
import { awaitStatus, beginRun } from "../../serve/run-calls.ts";
import { send, serveInProcess } from "../../serve/serve-fixture.ts";
import { serve } from "../../serve/serve-process.ts";

test("runs start once for each idempotency key, also after the server was killed", async () => {
  const served = await serve();
  const id = await beginRun(served, "hello", "key-1");
  expect(await beginRun(served, "hello", "key-1")).toBe(id);
  const eight = Array.from({ length: 8 }, () => beginRun(served, "x", "key-2"));
  expect(new Set(await Promise.all(eight)).size).toBe(1);
  const other = await served.call(
    "/runs",
    { agent: "main", task: "y" },
    { "idempotency-key": "key-1" },
  );
  expect(other).toMatchObject({ status: 422, json: { code: "idempotency-key-reused" } });
  served.server.child.kill("SIGKILL");
  await served.server.ended;
  const again = await serveInProcess({ project: served.project });
  expect(await beginRun(again, "hello", "key-1")).toBe(id);
  const wrong = { agent: "nobody", task: "x" };
  expect((await again.call("/runs", wrong, { "idempotency-key": "key-3" })).status).toBe(404);
  expect(await beginRun(again, "x", "key-3")).not.toBe(id);
});

test("a server that ends leaves its runs to be resumed, and the next one continues them", async () => {
  const served = await serve();
  const id = await beginRun(served, "ask");
  await awaitStatus(served, id, "awaiting-approval");
  served.server.child.kill("SIGTERM");
  expect((await served.server.ended).code).toBe(0);
  const again = await serveInProcess({ project: served.project });
  expect((await again.call(`/runs/${id}`)).json["run"]).toMatchObject({ isLeft: true });
  expect((await again.call(`/runs/${id}/resume`, {})).json["runs"]).toMatchObject([{ id }]);
  await awaitStatus(again, id, "awaiting-approval");
  const [question] = (await again.call("/questions")).json["questions"];
  await again.call("/answers", { question: question.id, answer: { decision: "deny" } });
  await awaitStatus(again, id, "succeeded");
});

test("the page has no inline script, and every file of it is served", async () => {
  const { url } = await serve();
  const page = await send(`${url}/`, {});
  expect(page.headers["content-security-policy"]).toContain(
    "default-src 'none'; script-src 'self'",
  );
  expect(page.headers["x-content-type-options"]).toBe("nosniff");
  expect(page.body).not.toMatch(/<script(?![^>]* src=)|<style| on\w+=| style=/);
  const files = Array.from(page.body.matchAll(/(?:href|src)="(.+?)"/g), ([, name = ""]) => name);
  expect(files.toSorted()).toEqual(["page.css", "page.js"]);
  for (const name of files) expect((await send(`${url}/${name}`, {})).status).toBe(200);
});
