import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { expect, onTestFinished, test } from "vitest";
import { sourceCache } from "../../fixtures/compile-cache.ts";
import { processEnvironment } from "../../fixtures/process-environment.ts";
import { collect } from "../../fixtures/stream-parts.ts";
import { temporaryFolder } from "../../fixtures/tool-call.ts";

const root = join(import.meta.dirname, "../../..");

test.each(["07-hooks", "08-ai-sdk-agent"])(
  "the example %s prints what its README says, without a key",
  async (name) => {
    const readme = readFileSync(join(root, "examples", name, "README.md"), "utf8");
    const [command = "", expected] = Array.from(readme.matchAll(/(?:^ {4}.*\n)+/gm), ([text]) =>
      text.replaceAll(/^ {4}/gm, ""),
    );
    const home = temporaryFolder();
    const env = { ...processEnvironment(home), TMPDIR: home, NODE_COMPILE_CACHE: sourceCache };
    const [, path = ""] = command.trim().split(" ");
    const { stdout } = await promisify(execFile)(process.execPath, [path], { cwd: root, env });
    expect(stdout).toBe(expected);
  },
);

test("the example of a Hono server streams runs to the client of the AI SDK, lists and cancels them", async () => {
  const home = temporaryFolder();
  const PATH = process.env["PATH"] ?? "";
  const env = { PATH, HOME: home, TMPDIR: home, NODE_COMPILE_CACHE: sourceCache };
  const path = join(root, "examples/09-hono-server/server.ts");
  const child = spawn(process.execPath, [path], { env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [address] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  expect(await (await fetch(address)).text()).toContain('fetch("/api/chat"');

  const transport = new DefaultChatTransport({ api: `${address}api/chat` });
  const question = "How do I make pancakes?";
  const asked: UIMessage = { id: "1", role: "user", parts: [{ type: "text", text: question }] };
  const stream = await transport.sendMessages({
    chatId: "chat",
    messages: [asked],
    trigger: "submit-message",
    messageId: undefined,
    abortSignal: undefined,
  });
  const message = (await collect(readUIMessageStream({ stream }))).at(-1);
  const texts = message?.parts.flatMap((part) => (part.type === "text" ? part.text : []));
  expect(texts).toEqual([
    "Let me look at the recipe.",
    expect.stringContaining("Mix flour") as string,
  ]);

  const again = await transport.reconnectToStream({ chatId: message?.id ?? "" });
  const late = await collect(readUIMessageStream({ stream: again ?? new ReadableStream() }));
  expect(late.at(-1)).toEqual(message);
  const runs = await (await fetch(`${address}api/runs`)).json();
  expect(runs).toMatchObject([{ id: message?.id, status: "succeeded" }]);
  const remove = await fetch(`${address}api/runs/${message?.id}`, { method: "DELETE" });
  expect(await remove.json()).toEqual({ cancelled: false });
  const broken = await fetch(`${address}api/chat`, { method: "POST", body: "{" });
  expect(broken.status).toBe(400);
  expect((await fetch(`${address}api/chat/none/stream`)).status).toBe(404);

  const exited = once(child, "exit");
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
});

test("the example of an eval says which agents are mixed up", async () => {
  const home = temporaryFolder();
  const env = { ...processEnvironment(home), TMPDIR: home, NODE_COMPILE_CACHE: sourceCache };
  const path = join(root, "examples/12-eval/measure.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [path], { cwd: root, env });
  expect(stdout).toBe("fail\neditor instead of translator: 2 of 4\n");
});
