import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { createKeepAliveFetch, type KeepAliveFetch } from "./keep-alive-fetch.ts";

const opened: { close(): Promise<void> | void }[] = [];

afterEach(async () => {
  for (const resource of opened.splice(0)) await resource.close();
});

test("sends a request and reads status, headers and body", async () => {
  const url = await serve((request, response) => {
    request.setEncoding("utf8").once("data", (body: string) => {
      response.writeHead(201, { "content-type": "application/json", "x-echo": body });
      response.end(JSON.stringify({ method: request.method, key: request.headers["x-api-key"] }));
    });
  });
  const { fetch } = transport();
  const response = await fetch(url, { method: "POST", headers: { "X-Api-Key": "k" }, body: "hi" });
  expect([response.status, response.ok]).toEqual([201, true]);
  expect(response.headers.get("X-Echo")).toBe("hi");
  expect(Object.fromEntries(response.headers)).toMatchObject({ "x-echo": "hi" });
  expect(response.bodyUsed).toBe(false);
  expect(await response.json()).toEqual({ method: "POST", key: "k" });
  await expect(response.text()).rejects.toThrow(TypeError);
});

test("reuses connections for later requests", async () => {
  let connections = 0;
  const url = await serve(
    (_, response) => response.end("ok"),
    (server) => {
      // On a slow machine the default of 5 seconds may expire before the next request.
      server.keepAliveTimeout = 600_000;
      server.on("connection", () => (connections += 1));
    },
  );
  const { fetch } = transport();
  for (let count = 0; count < 10; count += 1) await (await fetch(url)).text();
  // A socket is free again one turn of the event loop after its response.
  expect(connections).toBeLessThanOrEqual(2);
});

test("sends requests to different addresses at once, each to its own", async () => {
  const own = (request: IncomingMessage, response: ServerResponse): void =>
    void response.end(`${request.headers.host}${request.url}`);
  const [first, second] = [await serve(own), await serve(own)];
  const urls = [first, second, `${first}a?b=c`, `${second}a`, first];
  const { fetch } = transport();
  const answers = await Promise.all(urls.map(async (url) => (await fetch(url)).text()));
  expect(answers).toEqual(urls.map((url) => url.replace("http://", "")));
});

test("opens no more sockets than allowed and lets the rest wait", async () => {
  let open = 0;
  let most = 0;
  const url = await serve((_, response) => {
    open += 1;
    most = Math.max(most, open);
    setImmediate(() => {
      open -= 1;
      response.end("ok");
    });
  });
  const { fetch } = transport({ maxSockets: 3 });
  const texts = await Promise.all(
    Array.from({ length: 20 }, async () => (await fetch(url)).text()),
  );
  expect(texts).toHaveLength(20);
  expect(most).toBeLessThanOrEqual(3);
});

test("delivers an event stream while it arrives", async () => {
  let finish: (() => void) | undefined;
  const url = await serve((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\n");
    finish = () => response.end("data: 2\n\n");
  });
  const response = await transport().fetch(url);
  const reader = response.body?.getReader();
  expect(decode(await reader?.read())).toBe("data: 1\n\n");
  finish?.();
  expect(decode(await reader?.read())).toBe("data: 2\n\n");
  expect((await reader?.read())?.done).toBe(true);
});

test("decompresses gzip, of whole bodies and of streams", async () => {
  const url = await serve((request, response) => {
    expect(request.headers["accept-encoding"]).toBe("gzip");
    const type = request.url === "/sse" ? "text/event-stream" : "text/plain";
    response.writeHead(200, { "content-type": type, "content-encoding": "gzip" });
    response.end(gzipSync("data: 1\n\n"));
  });
  const { fetch } = transport();
  expect(await (await fetch(url)).text()).toBe("data: 1\n\n");
  expect(await (await fetch(`${url}sse`)).text()).toBe("data: 1\n\n");
});

test("rejects a gzip body that breaks off", async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    response.end(gzipSync("a".repeat(10_000)).subarray(0, 30));
  });
  await expect(transport().fetch(url)).rejects.toMatchObject({ code: "Z_BUF_ERROR" });
});

test("refuses a body above the limit, before or after decompression", async () => {
  const large = "a".repeat(2_000_000);
  const url = await serve((request, response) => {
    if (request.url === "/packed") {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(large));
    } else response.end(large);
  });
  const { fetch } = transport({ maxResponseBytes: 1024 * 1024 });
  const refusal = { code: "model-error", details: { kind: "response-too-large" } };
  await expect(fetch(url)).rejects.toMatchObject(refusal);
  await expect(fetch(`${url}packed`)).rejects.toMatchObject(refusal);
});

test("an abort destroys the socket at once and rejects with its reason", async () => {
  const closed = Promise.withResolvers<void>();
  const controller = new AbortController();
  const url = await serve((request) => {
    request.socket.on("close", closed.resolve);
    controller.abort(new Error("enough"));
  });
  await expect(transport().fetch(url, { signal: controller.signal })).rejects.toThrow("enough");
  await closed.promise;
});

test("an abort in the middle of a stream ends the stream with its reason", async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\n");
  });
  const controller = new AbortController();
  const response = await transport().fetch(url, { signal: controller.signal });
  const reader = response.body?.getReader();
  await reader?.read();
  controller.abort(new Error("enough"));
  await expect(reader?.read()).rejects.toThrow("enough");
});

test("an aborted request that waits for a socket never reaches the server", async () => {
  const seen: (string | undefined)[] = [];
  const first = Promise.withResolvers<ServerResponse>();
  const url = await serve((request, response) => {
    seen.push(request.url);
    if (request.url === "/first") first.resolve(response);
    else response.end("ok");
  });
  const { fetch } = transport({ maxSockets: 1 });
  const controller = new AbortController();
  const running = fetch(`${url}first`);
  const response = await first.promise;
  const waiting = fetch(`${url}second`, { signal: controller.signal });
  const refused = expect(waiting).rejects.toThrow("enough");
  controller.abort(new Error("enough"));
  await refused;
  response.end("ok");
  await (await running).text();
  await (await fetch(`${url}third`)).text();
  expect(seen).toEqual(["/first", "/third"]);
});

test("a broken connection rejects, before the response and in a stream", async () => {
  const url = await serve((request, response) => {
    if (request.url === "/sse") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n", () => request.socket.destroy());
    } else request.socket.destroy();
  });
  const { fetch } = transport();
  await expect(fetch(url)).rejects.toMatchObject({ code: "UND_ERR_SOCKET" });
  await expect((await fetch(`${url}sse`)).text()).rejects.toMatchObject({ code: "UND_ERR_SOCKET" });
});

test.each([
  ["an abort", (controller: AbortController) => controller.abort(new Error("enough"))],
  ["a broken connection", (_: AbortController, { socket }: IncomingMessage) => socket.destroy()],
  [
    "a response after which the server closes",
    (_: AbortController, ...[, response]: Exchanged) => {
      response.writeHead(200, { connection: "close" }).end("ok");
    },
  ],
] satisfies [string, (controller: AbortController, ...exchanged: Exchanged) => void][])(
  "the only socket serves the next requests after %s",
  async (_, end) => {
    let controller = new AbortController();
    const url = await serve((request, response) => {
      if (request.url === "/end") end(controller, request, response);
      else response.end("ok");
    });
    const { fetch } = transport({ maxSockets: 1 });
    for (let round = 0; round < 3; round += 1) {
      controller = new AbortController();
      const ended = fetch(`${url}end`, { signal: controller.signal }).catch(() => undefined);
      const next = [fetch(url), fetch(url)];
      await ended;
      for (const response of await Promise.all(next)) expect(await response.text()).toBe("ok");
    }
  },
);

test("a server that is started later is reached over the socket that was refused", async () => {
  const server = createServer((_, response) => response.end("ok"));
  const url = await listen(server);
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const { fetch } = transport({ maxSockets: 1 });
  const refused = [fetch(url), fetch(url), fetch(url)];
  for (const { status } of await Promise.allSettled(refused)) expect(status).toBe("rejected");
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  expect(await (await fetch(url)).text()).toBe("ok");
});

test("closing rejects active requests and requests that wait for a socket", async () => {
  const arrived = Promise.withResolvers<void>();
  const url = await serve(() => arrived.resolve());
  const { fetch, close } = transport({ maxSockets: 1 });
  const requests = Promise.allSettled([fetch(url), fetch(url), fetch(url)]);
  await arrived.promise;
  await close();
  const outcomes = (await requests) as PromiseRejectedResult[];
  expect(outcomes.map(({ reason }) => (reason as NodeJS.ErrnoException).code)).toEqual([
    "UND_ERR_DESTROYED",
    "UND_ERR_DESTROYED",
    "UND_ERR_DESTROYED",
  ]);
});

test("follows no redirect, so that the key reaches no other server", async () => {
  const url = await serve((request, response) => {
    expect(request.url).toBe("/");
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  const response = await transport().fetch(url, { headers: { authorization: "Bearer k" } });
  expect([response.status, response.headers.get("location")]).toEqual([307, "/elsewhere"]);
});

test("uses the proxy of the environment, except for loopback and the hosts in NO_PROXY", async () => {
  const url = await serve((_, response) => response.end("direct"));
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end("proxied");
  });
  const address = await listen(proxy);
  const environment = { HTTP_PROXY: address, no_proxy: "127.0.0.2" };
  const { fetch } = transport({ environment });
  expect(await (await fetch("http://model.example/v1")).text()).toBe("proxied");
  expect(await (await fetch(url)).text()).toBe("direct");
  const bypassed = fetch(url.replace("127.0.0.1", "127.0.0.2"));
  await expect(bypassed).rejects.toMatchObject({ code: "ECONNREFUSED" });
  expect(asked).toEqual(["http://model.example/v1"]);
});

test("refuses requests after it was closed", async () => {
  const closed = createKeepAliveFetch();
  await closed.close();
  await expect(closed.fetch("http://127.0.0.1:1/")).rejects.toMatchObject({ code: "closed" });
});

type Exchanged = [request: IncomingMessage, response: ServerResponse];

function transport(options: Parameters<typeof createKeepAliveFetch>[0] = {}): KeepAliveFetch {
  const created = createKeepAliveFetch(options);
  opened.push(created);
  return created;
}

async function serve(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  prepare: (server: Server) => void = () => {},
): Promise<string> {
  const server = createServer(handle);
  prepare(server);
  return await listen(server);
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function decode(read: { value?: Uint8Array | undefined } | undefined): string {
  return new TextDecoder().decode(read?.value);
}
