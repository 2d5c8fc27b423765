import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { cadre, createProject } from "../cli/command-line.ts";
import { authorized, send, serveInProcess } from "./serve-fixture.ts";

describe("who may use the server", () => {
  test("nobody without the token, and nobody with a wrong one", async () => {
    const { url } = await serveInProcess();
    for (const headers of [{}, { authorization: "Bearer wrong-token-of-22-cha" }]) {
      const refused = await send(`${url}/api/v1/runs`, { headers });
      expect(refused.status).toBe(401);
      expect(refused.headers["content-type"]).toBe("application/problem+json");
      expect(refused.headers["www-authenticate"]).toContain("Bearer");
      expect(JSON.parse(refused.body)).toMatchObject({ status: 401, code: "not-signed-in" });
    }
  });

  test("no page with a host name of its own, and no page of another origin", async () => {
    const { url } = await serveInProcess();
    const rebound = await send(`${url}/api/v1/runs`, {
      headers: { ...authorized, host: `evil.example:${new URL(url).port}` },
    });
    expect(JSON.parse(rebound.body)).toMatchObject({ status: 403, code: "host-not-allowed" });
    for (const origin of ["http://evil.example", "null", "http://127.0.0.1:1"]) {
      const crossed = await send(`${url}/api/v1/runs`, { headers: { ...authorized, origin } });
      expect(JSON.parse(crossed.body)).toMatchObject({ status: 403, code: "origin-not-allowed" });
    }
    const own = await send(`${url}/api/v1/runs`, { headers: { ...authorized, origin: url } });
    expect(own.status).toBe(200);
  });

  test("a browser that a link signed in; each link works once", async () => {
    const { url, link } = await serveInProcess();
    const signedIn = await send(link, {});
    expect(signedIn).toMatchObject({ status: 303, headers: { location: "/" } });
    const [given = ""] = signedIn.headers["set-cookie"] ?? [];
    expect(given).toMatch(/; HttpOnly; SameSite=Strict;/);
    const [cookie = ""] = given.split(";");
    expect((await send(link, {})).status).toBe(401);
    const runs = `${url}/api/v1/runs`;
    expect((await send(runs, { headers: { cookie } })).status).toBe(200);
    expect((await send(runs, { headers: { cookie: `${cookie}0` } })).status).toBe(401);
    const cross = { cookie, "sec-fetch-site": "cross-site" };
    expect((await send(runs, { headers: cross })).status).toBe(403);
    const links = `${url}/api/v1/sign-in-links`;
    const post = { method: "POST" };
    expect((await send(links, { ...post, headers: { cookie } })).status).toBe(403);
    const own = { cookie, origin: url, "sec-fetch-site": "same-origin" };
    expect((await send(links, { ...post, headers: own })).status).toBe(201);
    // Fetch sends no length with a request without a body.
    const fetched = await fetch(links, { ...post, headers: authorized });
    expect(fetched.status).toBe(201);
  });
});

test("wrong requests are refused with what was expected", async () => {
  const { url, call } = await serveInProcess();
  expect(await call("/runs", { agent: "main", taskk: "x" })).toMatchObject({
    status: 400,
    json: { code: "invalid-argument", errors: [{ detail: expect.stringContaining("`task`") }] },
  });
  expect(await call("/runs", { agent: "main", task: "x", temperature: 9 })).toMatchObject({
    json: { errors: [{ pointer: "/temperature" }] },
  });
  expect(await call("/runs?limit=0")).toMatchObject({ json: { errors: [{ pointer: "limit" }] } });
  expect(await call("/runs?unknown=1")).toMatchObject({ status: 400 });
  expect(await call("/agents?x=1")).toMatchObject({ status: 400 });
  expect(await call("/runs", { agent: "nobody", task: "x" })).toMatchObject({
    status: 404,
    json: { code: "agent-not-found" },
  });
  expect(await call("/runs/none")).toMatchObject({ status: 404, json: { code: "run-not-found" } });
  expect(await call("/nothing")).toMatchObject({ status: 404, json: { code: "not-found" } });
  const headers = { ...authorized, "content-type": "application/json" };
  const broken = await send(`${url}/api/v1/runs`, { method: "POST", headers }, "{");
  expect(JSON.parse(broken.body)).toMatchObject({ status: 400 });
  const form = { ...authorized, "content-type": "text/plain" };
  expect((await send(`${url}/api/v1/runs`, { method: "POST", headers: form }, "{}")).status).toBe(
    415,
  );
  const long = { ...headers, "content-length": String(64 * 1024 * 1024) };
  const large = await send(`${url}/api/v1/runs`, { method: "POST", headers: long }, "{}");
  expect(large.status).toBe(413);
  const part = new TextEncoder().encode(" ".repeat(1 << 20));
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent++ < 40) controller.enqueue(part);
      else controller.close();
    },
  });
  const request = { method: "POST", headers, body: endless, duplex: "half" } as RequestInit;
  // The server may close the connection before the client has read the answer.
  const status = await fetch(`${url}/api/v1/runs`, request).then(
    (answer) => answer.status,
    ({ cause }: { cause?: { code?: string } }) => cause?.code,
  );
  expect([413, "ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]).toContain(status);
  const small = new Blob([JSON.stringify({ agent: "main", task: "x" })]).stream();
  const chunked = { method: "POST", headers, body: small, duplex: "half" } as RequestInit;
  expect((await fetch(`${url}/api/v1/runs`, chunked)).status).toBe(201);
});

test("lists are compressed for those who accept it", async () => {
  const { url, call } = await serveInProcess();
  const { json } = await call("/runs", { agent: "main", task: "hello" });
  await call(`/runs/${json["run"].id}/result`);
  const list = `${url}/api/v1/runs`;
  for (const accepted of [{}, { "accept-encoding": "gzip;q=0, br" }]) {
    const plain = await send(list, { headers: { ...authorized, ...accepted } });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.headers["vary"]).toBe("accept-encoding");
    expect(JSON.parse(plain.body)).toMatchObject({ runs: [{ task: "hello" }] });
  }
  const headers = { ...authorized, "accept-encoding": "gzip, br" };
  const compressed = await fetch(list, { headers });
  expect(compressed.headers.get("content-encoding")).toBe("gzip");
  expect(await compressed.json()).toMatchObject({ runs: [{ task: "hello" }] });
});

test("a port that is in use is named, with what to do", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const { code, stderr } = await cadre(createProject(), ["serve", "--port", String(port)]);
  expect(code).toBe(2);
  expect(stderr).toContain(
    `another process uses ${port} of 127.0.0.1. Choose another one with --port`,
  );
});
