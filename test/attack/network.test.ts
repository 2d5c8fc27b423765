import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { prepareFilteredNetwork } from "../../src/tool/network-proxy/filtered-network.ts";
import { runCommand } from "../../src/tool/process/run-command.ts";
import { findSandboxProblem } from "../../src/tool/sandbox/sandbox.ts";
import { temporaryFolder } from "../fixtures/tool-call.ts";

const hasSandbox = (await findSandboxProblem()) === null;

/** A network whose names the test defines. */
interface Fixture {
  allow: string[];
  /** Addresses by name. Each lookup uses the next address, and the last one repeats. */
  hosts: Record<string, string[]>;
}

interface Outcome {
  exitCode: number | null;
  text: string;
  missing: string[];
}

/** Runs a command line in bubblewrap with a filtered network. */
async function runFiltered(command: string, { allow, hosts }: Fixture): Promise<Outcome> {
  const workspace = temporaryFolder();
  const network = prepareFilteredNetwork(allow, {
    lookup: async (host) => {
      const addresses = hosts[host] ?? [];
      const address = addresses.length > 1 ? addresses.shift() : addresses[0];
      return address === undefined ? [] : [{ address, family: 4 }];
    },
  });
  const sandbox =
    "bwrap --unshare-user-try --unshare-pid --unshare-net --die-with-parent --cap-drop ALL --ro-bind / / --dev /dev --proc /proc --tmpfs /run --bind";
  const inside = network.wrapCommand(["/bin/bash", "-c", `exec 2>&1; ${command}`]);
  const chunks: Buffer[] = [];
  const { exitCode } = await runCommand({
    command: [...sandbox.split(" "), workspace, workspace, "--", ...inside],
    cwd: workspace,
    environment: { PATH: process.env["PATH"] ?? "", HOME: workspace, ...network.environment },
    marker: "CADRE_RUN_STEP=test/network",
    isSandboxed: true,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    network,
    onOutput: async (bytes) => void chunks.push(bytes),
  });
  return { exitCode, text: Buffer.concat(chunks).toString(), missing: network.missing() };
}

/** Starts a web server on this machine that returns the requests it receives. */
async function startServer(
  answer = (request: IncomingMessage): string => `asked ${request.headers.host} ${request.url}`,
): Promise<number> {
  const server = createServer((request, response) => response.end(answer(request)));
  return await listen(server);
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const get = "curl -sS -m 20";

describe.runIf(hasSandbox)("a sandbox with allowed hosts", () => {
  test("reaches them with curl, by plain requests and through tunnels", async () => {
    const port = await startServer();
    const fixture: Fixture = {
      allow: [`*.example.com:${port}`, `127.0.0.1:${port}`],
      hosts: { "www.example.com": ["127.0.0.1"] },
    };
    const url = `http://www.example.com:${port}/a?b`;
    const { text, missing } = await runFiltered(`${get} ${url}; echo; ${get} -p ${url}`, fixture);
    expect(text).toBe(`asked www.example.com:${port} /a?b\nasked www.example.com:${port} /a?b`);
    expect(missing).toEqual([]);
  });

  test("reaches them with Node's fetch", async () => {
    const port = await startServer();
    const fixture: Fixture = {
      allow: [`api.example.com:${port}`, `127.0.0.1:${port}`],
      hosts: { "api.example.com": ["127.0.0.1"] },
    };
    const code = `fetch("http://api.example.com:${port}/x").then(async (r) => console.log(await r.text()))`;
    const { text } = await runFiltered(`${process.execPath} -e '${code}'`, fixture);
    expect(text.trim()).toBe(`asked api.example.com:${port} /x`);
  });

  test("lets git clone from them", async () => {
    const folder = temporaryFolder();
    const git = (...words: string[]): unknown => execFileSync("git", words, { cwd: folder });
    const author = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    git("init", "--quiet", "source");
    git("-C", "source", ...author, "commit", "--quiet", "--allow-empty", "-m", "the first");
    git("clone", "--quiet", "--bare", "source", "bare.git");
    git("-C", "bare.git", "update-server-info");
    const server = createServer(({ url = "" }, response) => {
      const path = join(folder, new URL(url, "http://x").pathname);
      if (existsSync(path)) response.end(readFileSync(path));
      else response.writeHead(404).end();
    });
    const port = await listen(server);
    const fixture: Fixture = {
      allow: [`*.example.com:${port}`, `127.0.0.1:${port}`],
      hosts: { "git.example.com": ["127.0.0.1"] },
    };
    const url = `http://git.example.com:${port}/bare.git`;
    const { text } = await runFiltered(
      `git clone -q ${url} a && git -C a log --format=%s`,
      fixture,
    );
    expect(text).toBe("the first\n");
  });

  test("reaches a server of the machine that is listed as localhost", async () => {
    const port = await startServer();
    const fixture: Fixture = { allow: [`localhost:${port}`], hosts: { localhost: ["127.0.0.1"] } };
    const { text } = await runFiltered(`${get} http://localhost:${port}/`, fixture);
    expect(text).toBe(`asked localhost:${port} /`);
  });

  test("reaches no other host, and names the missing rule", async () => {
    const port = await startServer();
    const fixture: Fixture = {
      allow: ["good.example.com"],
      hosts: { "good.example.com": ["93.184.216.34"], "evil.example.org": ["127.0.0.1"] },
    };
    const { text, missing } = await runFiltered(
      `${get} http://evil.example.org/; ${get} https://evil.example.org/; ${get} http://127.0.0.1:${port}/; ${get} --noproxy '*' http://127.0.0.1:${port}/; ${get} http://2130706433:${port}/; ${get} http://0x7f.1:${port}/; ${get} http://[::1]:${port}/; ${get} http://[::ffff:127.0.0.1]:${port}/; ${get} http://example.com/; ${get} http://evilgood.example.com/`,
      fixture,
    );
    expect(text).toContain('add "evil.example.org" to sandbox.network.allow');
    expect(text).toContain("response 403");
    expect(text).not.toContain("asked");
    expect(missing).toContain("evil.example.org");
    expect(missing).toContain("evilgood.example.com");
  });

  test("does not reach an address of the machine by a name that is allowed", async () => {
    const port = await startServer();
    const fixture: Fixture = {
      allow: [`a.example.com:${port}`],
      hosts: { "a.example.com": ["127.0.0.1"] },
    };
    const url = `http://a.example.com:${port}/`;
    const { text, missing } = await runFiltered(`${get} ${url}; ${get} -p ${url}`, fixture);
    expect(text).not.toContain("asked");
    expect(missing).toEqual([`127.0.0.1:${port}`]);
  });

  test("connects to the checked address, not to a later DNS answer", async () => {
    const port = await startServer();
    const fixture: Fixture = {
      allow: [`a.example.com:${port}`, `127.0.0.1:${port}`],
      hosts: { "a.example.com": ["127.0.0.1", "169.254.169.254"] },
    };
    const url = `http://a.example.com:${port}/`;
    const { text } = await runFiltered(`${get} ${url}; ${get} ${url}`, fixture);
    expect(text).toMatch(/^asked a\.example\.com:\d+ \/The sandbox refuses/);
  });

  test("reaches only the ports of the web", async () => {
    const fixture: Fixture = {
      allow: ["a.example.com"],
      hosts: { "a.example.com": ["93.184.216.34"] },
    };
    const { text, missing } = await runFiltered(
      `for port in 22 25 3306 8080; do ${get} -p http://a.example.com:$port/; done`,
      fixture,
    );
    expect(text.match(/response 403/g)).toHaveLength(4);
    expect(missing).toEqual([22, 25, 3306, 8080].map((port) => `a.example.com:${port}`));
  });

  test("does not smuggle a request or another host past the check", async () => {
    const asked: string[] = [];
    const port = await startServer(({ url, headers }) => {
      asked.push(`${headers.host}${url}`);
      return "answered";
    });
    const fixture: Fixture = {
      allow: [`a.example.com:${port}`, `127.0.0.1:${port}`],
      hosts: { "a.example.com": ["127.0.0.1"] },
    };
    const url = `http://a.example.com:${port}`;
    const requests = [
      `GET ${url}/host HTTP/1.1\\r\\nHost: evil.example.org\\r\\nConnection: close\\r\\n\\r\\n`,
      `POST ${url}/both HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 4\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\nGET /smuggled HTTP/1.1\\r\\n\\r\\n`,
      `GET ${url}/hop HTTP/1.1\\r\\nHost: a\\r\\nConnection: x-secret, close\\r\\nX-Secret: 1\\r\\n\\r\\n`,
      `GET / HTTP/1.1\\r\\nHost: a.example.com:${port}\\r\\nConnection: close\\r\\n\\r\\n`,
      `CONNECT http://a.example.com/ HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n`,
      `GET https://a.example.com/ HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n`,
    ];
    // In one piece: bash writes line by line, and a proxy that has refused a head stops reading.
    const send = (bytes: string): string =>
      `exec 3<>/dev/tcp/127.0.0.1/3128; printf '${bytes}' > bytes; cat bytes >&3; timeout 10 cat <&3; exec 3>&-`;
    const { text } = await runFiltered(requests.map(send).join("; "), fixture);
    expect(asked).toEqual([`a.example.com:${port}/host`, `a.example.com:${port}/hop`]);
    expect(text.match(/HTTP\/1.1 400/g)).toHaveLength(4);
  });

  test("holds against huge heads, silent clients and many connections, and ends with the command", async () => {
    const port = await startServer(() => "still here");
    const fixture: Fixture = {
      allow: [`a.example.com:${port}`, `127.0.0.1:${port}`],
      hosts: { "a.example.com": ["127.0.0.1"] },
    };
    const code = `
const { connect } = require("node:net");
const open = (n) => Promise.all(Array.from({ length: n }, () => new Promise((resolve) => {
  const socket = connect(3128, "127.0.0.1", () => resolve(socket)).on("error", () => resolve(socket));
})));
(async () => {
  const huge = connect(3128, "127.0.0.1").on("error", () => undefined);
  let answer = "";
  huge.on("data", (bytes) => (answer += bytes));
  huge.write("GET http://a.example.com:${port}/ HTTP/1.1\\r\\nX: " + "x".repeat(1_000_000));
  await new Promise((resolve) => huge.on("close", resolve));
  console.log(answer.split("\\r\\n")[0]);
  const silent = await open(1000);
  for (const socket of silent) socket.destroy();
  console.log(await (await fetch("http://a.example.com:${port}/")).text());
  await open(100);
  process.exit();
})();`;
    const script = Buffer.from(code).toString("base64");
    const { exitCode, text } = await runFiltered(
      `echo ${script} | base64 -d > script.cjs; ${process.execPath} script.cjs`,
      fixture,
    );
    expect(text).toBe("HTTP/1.1 431 Request Header Fields Too Large\nstill here\n");
    expect(exitCode).toBe(0);
  });

  test("leaves the command only the connection", async () => {
    const fixture: Fixture = { allow: ["a.example.com"], hosts: {} };
    const { text } = await runFiltered(
      "test -e /proc/$$/fd/3 || echo closed; env | grep -c NODE_CHANNEL; ls /proc | grep -c '^[0-9]'",
      fixture,
    );
    // One process of bubblewrap, then the shell, ls and grep; none of them serves the connection.
    expect(text).toBe("closed\n0\n4\n");
  });

  test("keeps the command's output and exit code", async () => {
    const fixture: Fixture = { allow: ["a.example.com"], hosts: {} };
    const { text, exitCode } = await runFiltered("printf '%s|' a 'b  c' \"d'e\"; exit 7", fixture);
    expect(text).toBe("a|b  c|d'e|");
    expect(exitCode).toBe(7);
  });
});

test("an invalid rule is refused with an example", () => {
  const rules = [
    "http://a.example.com/",
    "a.example.com/x",
    "*",
    "*.1.2.3.4",
    "a:0",
    "a:70000",
    "a b",
    "",
  ];
  for (const rule of rules) {
    expect(() => prepareFilteredNetwork([rule]), rule).toThrow(
      "Expected a host in sandbox.network",
    );
  }
});
