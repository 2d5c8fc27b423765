import { expect, it, vi } from "vitest";
import {
  createExtensionFixture,
  type ExtensionFixture,
} from "../../../test/fixtures/mcp/extension-fixture.ts";
import {
  type CallListener,
  createFreeListener,
  createRawListener,
  createSessionListener,
  sendJson,
  startWebServer,
} from "../../../test/fixtures/mcp/mcp-http-server.ts";
import { createToolFixture } from "../../../test/fixtures/tool-call.ts";
import type { HttpExtension } from "../../run/extension-config.ts";
import type { Tool, ToolOutcome } from "../../tool/tool.ts";
import type { OnElicit } from "../elicitation/elicitation.ts";

function web(url: string, more: Partial<HttpExtension> = {}): HttpExtension {
  return { name: "web", type: "streamable_http", url, ...more };
}

async function toolOf(
  fixture: ExtensionFixture,
  config: HttpExtension,
  name: string,
): Promise<Tool> {
  const { tools } = await fixture.host.acquire("root", [config]);
  const tool = tools.find((one) => one.name === `mcp__web__${name}`);
  if (tool === undefined) throw new Error(`there is no ${name}`);
  return tool;
}

async function callRaw(call: CallListener): Promise<ToolOutcome> {
  const { url } = await startWebServer(createRawListener(call));
  const fixture = createExtensionFixture();
  return await createToolFixture().call(await toolOf(fixture, web(url), "run"), {});
}

const ada: OnElicit = async () => ({ action: "accept", content: { name: "Ada" } });

it("a server with the newer protocol receives its headers and can ask the user", async () => {
  const { url, requests } = await startWebServer(createFreeListener());
  const fixture = createExtensionFixture({ environment: { TOKEN: "t-1" }, onElicit: ada });
  const config = web(url, {
    headers: { Authorization: "Bearer ${TOKEN}" },
    environmentKeys: ["TOKEN"],
  });
  const { call } = createToolFixture();
  expect(await call(await toolOf(fixture, config, "echo"), { text: "hi" })).toEqual({ text: "hi" });
  expect(await call(await toolOf(fixture, config, "greet"), {})).toEqual({ text: "hello Ada" });
  for (const { headers } of requests) expect(headers.authorization).toBe("Bearer t-1");
});

it("a server with sessions can ask the user too, is initialized again after it lost the session, and is notified of its end", async () => {
  const { listener, forget } = createSessionListener();
  const { url, requests } = await startWebServer(listener);
  const fixture = createExtensionFixture({ onElicit: ada });
  const { call } = createToolFixture();
  const echo = await toolOf(fixture, web(url), "echo");
  expect(await call(await toolOf(fixture, web(url), "greet"), {})).toEqual({ text: "hello Ada" });
  forget();
  const lost = await call(echo, { text: "hi" });
  expect(lost).toMatchObject({ isError: true, text: expect.stringContaining("was not called") });
  expect(await call(echo, { text: "hi" })).toEqual({ text: "hi" });
  await fixture.host.close();
  expect(requests.at(-1)?.method).toBe("DELETE");
});

it.each([
  [401, /requires authentication \(HTTP 401\).*Authorization/],
  [403, /refuses access \(HTTP 403\)/],
  [404, /nothing at its URL \(HTTP 404\)/],
  [405, /does not accept messages \(HTTP 405\)/],
  [503, /answered with HTTP 503; it said: \[secret\] is not enough/],
])("HTTP %s fails the acquisition with what it means", async (status, message) => {
  const { url } = await startWebServer((_, response) => {
    response.writeHead(status).end("s3cret-value is not enough\u001b[2J");
  });
  const { host } = createExtensionFixture();
  const config = web(`${url}?key=hidden`, { headers: { "X-Key": "s3cret-value" } });
  const failed = host.acquire("root", [config]);
  await expect(failed).rejects.toMatchObject({ code: "tool-unavailable" });
  await expect(failed).rejects.toThrow(message);
  await expect(failed).rejects.toThrow(`MCP server web (${new URL(url).host})`);
  await expect(failed).rejects.not.toThrow("hidden");
});

it("a server that is down fails the acquisition", async () => {
  const { url, close } = await startWebServer(() => undefined);
  await close();
  const failed = createExtensionFixture().host.acquire("root", [web(url)]);
  await expect(failed).rejects.toThrow("it cannot be reached (ECONNREFUSED)");
});

it("a redirect to another host is not followed, and no headers are sent there", async () => {
  const other = await startWebServer(createFreeListener());
  const { url } = await startWebServer((_, response) => {
    response.writeHead(307, { location: other.url }).end();
  });
  const config = web(url, { headers: { Authorization: "Bearer secret" } });
  const failed = createExtensionFixture().host.acquire("root", [config]);
  await expect(failed).rejects.toThrow(`Redirect to ${other.url} not followed`);
  expect(other.requests).toEqual([]);
});

it("a connection that breaks in the middle of a call is an error outcome", async () => {
  const broken = await callRaw((_, response) => response.destroy());
  expect(broken.isError).toBe(true);
  expect(broken.text).toMatch(/did not answer "run".*not repeated, and its effect is unknown/);
});

it("an event stream that ends without the answer is an error outcome at once", async () => {
  const ended = await callRaw((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(": nothing\n\n");
  });
  expect(ended).toMatchObject({
    isError: true,
    text: expect.stringContaining("the connection ended before the answer"),
  });
});

it.each(["application/json", "text/event-stream"])(
  "an answer of many megabytes as %s is an error outcome",
  async (type) => {
    const part = "x".repeat(1024 * 1024);
    const huge = await callRaw((_, response) => {
      response.writeHead(200, { "content-type": type });
      response.write("data: ");
      const pour = (): void => {
        while (!response.destroyed && response.write(part)) continue;
      };
      response.on("drain", pour);
      pour();
    });
    expect(huge.isError).toBe(true);
    expect(huge.text).toContain(type === "application/json" ? "16 MiB" : "before the answer");
  },
);

it("the open notification stream of a server is closed when its family ends", async () => {
  const { listener } = createSessionListener();
  const { url, requests } = await startWebServer(listener);
  const { host } = createExtensionFixture();
  await host.acquire("root", [web(url)]);
  await vi.waitFor(() => expect(requests.map(({ method }) => method)).toContain("GET"), 20_000);
  await host.release("root");
  expect(requests.at(-1)?.method).toBe("DELETE");
});

it("an HTTP error in a call is an outcome with its status", async () => {
  const failed = await callRaw((_, response) => response.writeHead(500).end("out of order"));
  expect(failed.text).toMatch(/did not answer "run": it answered with HTTP 500.*out of order/);
  const fine = await callRaw((id, response) => sendJson(response, { id, result: { content: [] } }));
  expect(fine).toEqual({ text: "(no output)" });
});
