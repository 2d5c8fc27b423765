import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createCertificate, hasOpenssl } from "../../fixtures/tls/certificate.ts";
import { createProject } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";

const reply = JSON.stringify({
  id: "reply",
  object: "chat.completion",
  created: 0,
  model: "mock",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

/** Runs the built command with the model of a server. Returns its output and the HTTP versions that it used. */
async function runWith(
  create: (files: { key: Buffer; cert: Buffer }) => Server | Http2SecureServer,
): Promise<{ output: string; versions: string[] }> {
  const { key, certificate } = createCertificate();
  const server = create({ key: readFileSync(key), cert: readFileSync(certificate) });
  onTestFinished(() => void server.close());
  const versions: string[] = [];
  server.on("request", (request, response) => {
    versions.push(request.httpVersion);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(reply);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const project = createProject();
  Object.assign(project.environment, {
    NODE_EXTRA_CA_CERTS: certificate,
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: `https://127.0.0.1:${port}/v1`,
  });
  const { stdout, stderr } = await start(project, ["run", "greet", "--model", "openai:mock"]).ended;
  return { output: stdout + stderr, versions };
}

describe.runIf(hasOpenssl)("the built command asks a model over TLS", () => {
  test("with HTTP/2 where the server speaks it", async () => {
    const { output, versions } = await runWith((files) => createSecureServer(files));
    expect(output).toContain("Hello.");
    expect(versions).toEqual(["2.0"]);
  });

  test("with HTTP/1.1 otherwise", async () => {
    const { output, versions } = await runWith((files) => createServer(files));
    expect(output).toContain("Hello.");
    expect(versions).toEqual(["1.1"]);
  });
});
