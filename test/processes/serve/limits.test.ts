import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { request as secureRequest } from "node:https";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { cadre } from "../../cli/command-line.ts";
import { createCertificate, hasOpenssl } from "../../fixtures/tls/certificate.ts";
import {
  authorized,
  createServedProject,
  send,
  serveInProcess,
  token,
} from "../../serve/serve-fixture.ts";
import { serve } from "../../serve/serve-process.ts";

describe("an address that other machines can reach", () => {
  test("is refused without TLS", async () => {
    const project = createServedProject();
    for (const host of ["0.0.0.0", "::", "192.168.1.5", "cadre.example"]) {
      const words = ["serve", "--json", "--port", "0", "--host", host];
      const { code, stdout, stderr } = await cadre(project, words);
      expect(code).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).toContain(`Expected --tls-cert and --tls-key with --host ${host}`);
      expect(stderr).toContain("--insecure-http");
    }
  });

  test.runIf(hasOpenssl)("is served with TLS, whose cookies are for it alone", async () => {
    const { key, certificate } = createCertificate();
    const options = ["--host", "0.0.0.0", "--tls-cert", certificate, "--tls-key", key];
    const { first } = await serve({ options });
    expect(first.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const get = async (
      address: string,
      headers: Record<string, string>,
    ): Promise<IncomingMessage> => {
      const sent = secureRequest(address, { ca: readFileSync(certificate), headers }).end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      response.resume();
      return response;
    };
    expect((await get(`${first.url}/api/v1/runs`, authorized)).statusCode).toBe(200);
    expect((await get(`${first.url}/api/v1/runs`, {})).statusCode).toBe(401);
    const { headers } = await get(first.link, {});
    expect(headers["set-cookie"]?.[0]).toMatch(/; HttpOnly; SameSite=Strict; .*Secure$/);
    const plain = first.url.replace("https:", "http:");
    await expect(send(`${plain}/api/v1/runs`, { headers: authorized })).rejects.toThrow();
    const project = createServedProject();
    const wrong = ["--tls-cert", certificate, "--tls-key", certificate];
    const { code, stderr } = await cadre(project, ["serve", "--port", "0", ...wrong]);
    expect(code).toBe(2);
    expect(stderr).toContain("Expected a certificate and its key in PEM");
  });

  test("is served in the clear with --insecure-http, with the same token", async () => {
    const { url, call } = await serve({ options: ["--host", "0.0.0.0", "--insecure-http"] });
    expect((await call("/runs")).status).toBe(200);
    expect((await send(`${url}/api/v1/runs`, {})).status).toBe(401);
    const outer = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ internal, family }) => !internal && family === "IPv4");
    if (outer === undefined) return;
    const { port } = new URL(url);
    const reached = await send(`http://${outer.address}:${port}/api/v1/runs`, {
      headers: authorized,
    });
    expect(reached.status).toBe(200);
  });
});

test("--json writes the address, the token and a link as its first line, and nothing else", async () => {
  const served = await serve();
  expect(served.first).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    token,
    link: expect.stringMatching(new RegExp(`^${served.url}/sign-in\\?code=[\\w-]+$`)),
  });
  expect((await send(served.first.link, {})).status).toBe(303);
  const headers = { authorization: `Bearer ${served.first.token}` };
  expect((await send(`${served.url}/api/v1/runs`, { headers })).status).toBe(200);
  served.server.child.kill("SIGTERM");
  const { stdout } = await served.server.ended;
  expect(stdout.trim().split("\n")).toHaveLength(1);
});

/** Opens a stream of all events. */
async function openStream(
  url: string,
  agent: Agent,
): Promise<{ sent: ClientRequest; response: IncomingMessage }> {
  const headers = { ...authorized, accept: "text/event-stream" };
  const sent = request(`${url}/api/v1/events`, { agent, headers });
  sent.on("error", () => undefined);
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.on("error", () => undefined);
  return { sent, response };
}

test("more than 2,048 streams are refused, while runs continue", async () => {
  const { url, call } = await serve();
  const agent = new Agent({ maxSockets: Infinity });
  onTestFinished(() => agent.destroy());
  const open: Awaited<ReturnType<typeof openStream>>[] = [];
  for (let begun = 0; begun < 2048; begun += 128) {
    const some = Array.from({ length: 128 }, () => openStream(url, agent));
    open.push(...(await Promise.all(some)));
  }
  expect(open.filter(({ response }) => response.statusCode !== 200)).toEqual([]);
  const { response } = await openStream(url, agent);
  expect(response.statusCode).toBe(503);
  expect(JSON.parse(await text(response))).toMatchObject({
    code: "too-many-streams",
    detail: expect.stringContaining("2048"),
  });
  const started = await call("/runs", { agent: "main", task: "delegate" });
  const { json } = await call(`/runs/${started.json["run"].id}/result?wait=60`);
  expect(json["result"]).toMatchObject({ status: "succeeded" });
  open[0]?.sent.destroy();
  await vi.waitFor(
    async () => {
      const again = await openStream(url, agent);
      again.sent.destroy();
      expect(again.response.statusCode).toBe(200);
    },
    { timeout: 10_000, interval: 50 },
  );
});

test("a start that a kill interrupted is not repeated: its outcome is unknown", async () => {
  const served = await serve();
  const { project, server, call } = served;
  const first = await call("/runs", { agent: "main", task: "hello" });
  await call(`/runs/${first.json["run"].id}/result`);
  // Locks the registry, so that the server is in the middle of the start when it is killed.
  const database = new DatabaseSync(join(project.path, "state", "cadre.db"));
  database.exec("BEGIN IMMEDIATE");
  const body = { agent: "main", task: "once" };
  const key = { "idempotency-key": "killed" };
  const lost = call("/runs", body, key).catch((error: unknown) => error);
  const folder = join(project.path, "state", "idempotency");
  await vi.waitFor(
    () => {
      const [name = ""] = readdirSync(folder);
      const record = JSON.parse(readFileSync(join(folder, name), "utf8")) as { runId: unknown };
      expect(record.runId).toBeNull();
    },
    { timeout: 10_000, interval: 10 },
  );
  server.child.kill("SIGKILL");
  await server.ended;
  expect(await lost).toBeInstanceOf(Error);
  database.exec("ROLLBACK");
  database.close();
  const again = await serveInProcess({ project });
  for (let count = 0; count < 2; count += 1) {
    expect(await again.call("/runs", body, key)).toMatchObject({
      status: 409,
      json: { code: "start-unknown", detail: expect.stringContaining("GET /api/v1/runs") },
    });
  }
  expect((await again.call("/runs")).json["runs"]).toHaveLength(1);
  expect((await again.call("/runs", body, { "idempotency-key": "other" })).status).toBe(201);
});
