import { createServer, type RequestListener } from "node:http";
import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createToolFixture } from "../../../test/fixtures/tool-call.ts";
import { isPublicAddress } from "../web/public-address.ts";
import { createWebFetchTool, type WebFetchOptions } from "./web-fetch.ts";

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

const onLoopback: WebFetchOptions = {
  lookup: async () => [{ address: "127.0.0.1", family: 4 }],
  allowAddress: (address) => address === "127.0.0.1",
};

async function fetchText(url: string, options: WebFetchOptions = onLoopback): Promise<string> {
  return (await createToolFixture().call(createWebFetchTool(options), { url })).text;
}

test("returns a page as text with its links", async () => {
  const port = await serve((_, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(
      "<title>T</title><h1>Hi</h1><script>no</script><p>See <a href='/x'>this</a> &amp; that",
    );
  });
  const text = await fetchText(`http://site.test:${port}/`);
  expect(text).toContain("# T\n\n# Hi\n\nSee [this](http://site.test:");
  expect(text).toContain("/x) & that");
  expect(text).not.toContain("no<");
});

test.each([
  "http://127.0.0.1/",
  "http://0x7f.1/",
  "http://2130706433/",
  "http://0177.0.0.1/",
  "http://127.1/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[fe80::1]/",
  "http://[fd00::1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://[2002:7f00:1::]/",
  "http://10.0.0.1/",
  "http://192.168.1.1/",
  "http://172.31.0.1/",
  "http://169.254.169.254/latest/meta-data",
  "http://168.63.129.16/",
  "http://100.100.100.200/",
  "http://224.0.0.1/",
  "http://0.0.0.0/",
  "http://255.255.255.255/",
])("refuses %s", async (url) => {
  expect(await fetchText(url, {})).toContain("not on the public Internet");
});

test("accepts public addresses", () => {
  for (const address of ["1.1.1.1", "172.32.0.1", "8.8.8.8", "2606:4700::1111"]) {
    expect(isPublicAddress(address)).toBe(true);
  }
});

test("refuses a name when any of its addresses is private, and resolves it only once", async () => {
  let asked = 0;
  const addresses = [["1.1.1.1", "127.0.0.1"], ["127.0.0.1"]];
  const lookup = async (): Promise<{ address: string; family: number }[]> =>
    (addresses[(asked += 1) - 1] ?? []).map((address) => ({ address, family: 4 }));
  expect(await fetchText("http://rebind.test/", { lookup })).toContain("rebind.test is 127.0.0.1");
  expect(asked).toBe(1);
});

test("connects to the address that was checked, not to another DNS answer", async () => {
  const port = await serve((_, response) =>
    response.setHeader("content-type", "text/plain").end("once"),
  );
  let asked = 0;
  const lookup = async (): Promise<{ address: string; family: number }[]> => {
    asked += 1;
    return [{ address: asked === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }];
  };
  expect(await fetchText(`http://a.test:${port}/`, { ...onLoopback, lookup })).toContain("once");
  expect(asked).toBe(1);
});

test.each([
  "file:///etc/passwd",
  "ftp://a.test/",
  "http://user:pass@a.test/",
  "not a url",
  "javascript:1",
])("refuses %s", async (url) => {
  const text = await fetchText(url);
  expect(text).toContain("is not fetched");
  expect(text).not.toContain("pass@");
});

test("follows redirects on the same host, up to five", async () => {
  const port = await serve((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) return response.setHeader("content-type", "text/plain").end("there");
    return response.writeHead(302, { location: `/${left - 1}` }).end();
  });
  expect(await fetchText(`http://a.test:${port}/5`)).toContain("there");
  expect(await fetchText(`http://a.test:${port}/6`)).toContain("more than 5 times");
});

test("reports a redirect to another host, and refuses one to a private address or another protocol", async () => {
  const targets = ["http://b.test/x", "file:///etc/passwd", "http://u:p@a.test/"];
  const port = await serve((request, response) =>
    response.writeHead(301, { location: targets[Number(request.url?.slice(1))] }).end(),
  );
  expect(await fetchText(`http://a.test:${port}/0`)).toContain(
    "redirects to another host: http://b.test/x",
  );
  expect(await fetchText(`http://a.test:${port}/1`)).toContain("only http and https");
  expect(await fetchText(`http://a.test:${port}/2`)).toContain("are not sent");
});

test("checks the address again after every redirect", async () => {
  const port = await serve((_, response) => response.writeHead(302, { location: "/next" }).end());
  let asked = 0;
  const lookup = async (): Promise<{ address: string; family: number }[]> => {
    asked += 1;
    return [{ address: asked === 1 ? "127.0.0.1" : "10.0.0.1", family: 4 }];
  };
  expect(await fetchText(`http://a.test:${port}/`, { ...onLoopback, lookup })).toContain(
    "10.0.0.1",
  );
});

test("refuses binary content, content that is too large, and decompression bombs", async () => {
  const port = await serve((request, response) => {
    if (request.url === "/png") return response.setHeader("content-type", "image/png").end("x");
    if (request.url === "/binary")
      return response.setHeader("content-type", "text/plain").end("a\0b");
    response.setHeader("content-type", "text/plain");
    if (request.url === "/bomb") {
      return response.setHeader("content-encoding", "gzip").end(gzipSync(Buffer.alloc(50_000_000)));
    }
    const more = (): void => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
    };
    response.on("drain", more);
    return more();
  });
  const at = `http://a.test:${port}`;
  expect(await fetchText(`${at}/png`)).toContain("the page is image/png");
  expect(await fetchText(`${at}/binary`)).toContain("is binary");
  expect(await fetchText(`${at}/bomb`)).toContain("larger than 5242880");
  expect(await fetchText(`${at}/endless`)).toContain("larger than 5242880");
});

test("times out on a silent server and reports an error response", async () => {
  const port = await serve((request, response) => {
    if (request.url === "/404")
      response.writeHead(404, { "content-type": "text/plain" }).end("nothing here");
  });
  expect(await fetchText(`http://a.test:${port}/`, { ...onLoopback, timeoutMs: 100 })).toContain(
    "longer than 100 ms",
  );
  const missing = await fetchText(`http://a.test:${port}/404`);
  expect(missing).toContain("answered 404");
  expect(missing).toContain("nothing here");
});

test("decodes the declared charset and stores a long page", async () => {
  const port = await serve((request, response) => {
    if (request.url === "/latin") {
      return response
        .setHeader("content-type", "text/plain; charset=iso-8859-1")
        .end(Buffer.from([0xe9]));
    }
    return response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify("x\n".repeat(30_000)));
  });
  expect(await fetchText(`http://a.test:${port}/latin`)).toContain("é");
  const long = await fetchText(`http://a.test:${port}/long`);
  expect(long.length).toBeLessThanOrEqual(30_000);
  expect(long).toContain("The whole output is in");
});

test("describes a call by the normalized address", () => {
  const call = createWebFetchTool().prepare(
    { url: "HTTP://EXAMPLE.com:80/a/../b" },
    { workspace: "/" },
  );
  expect(call).toMatchObject({ subject: "http://example.com/b", paths: [] });
});
