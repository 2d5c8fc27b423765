import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { expect, onTestFinished, test } from "vitest";
import { sourceCache } from "../../fixtures/compile-cache.ts";
import { collect } from "../../fixtures/stream-parts.ts";
import { temporaryFolder } from "../../fixtures/tool-call.ts";

const root = join(import.meta.dirname, "../../..");
const readme = readFileSync(join(root, "examples/06-streams/README.md"), "utf8");
const commands = [...readme.matchAll(/^ {4}node (.*)$/gm)].map(([, path = ""]) => path);

/** Starts an example as its README says. */
function startExample(path: string): ChildProcess {
  const home = temporaryFolder();
  const PATH = process.env["PATH"] ?? "";
  const env = { PATH, HOME: home, TMPDIR: home, NODE_COMPILE_CACHE: sourceCache };
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const child = spawn(process.execPath, [join(root, path)], { env, stdio: [...stdio] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

test("the example of a typed output prints the findings", async () => {
  const child = startExample(commands[0] ?? "");
  expect(await text(child.stdout ?? process.stdin)).toBe(
    [
      "pancakes.md:3: There is no milk among the ingredients.",
      "pancakes.md:6: It does not say how hot the pan is.",
      "Verdict: wait\n",
    ].join("\n"),
  );
});

test("the example of a server streams a run to the client of the AI SDK, and again to late ones", async () => {
  const child = startExample(commands[1] ?? "");
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  const [address] = (await once(lines, "line")) as [string];
  const page = await fetch(address);
  expect(await page.text()).toContain('fetch("/api/chat"');
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
  expect(message?.parts).toMatchObject([
    { type: "step-start" },
    { type: "text", text: "Let me look at the recipe." },
    { type: "dynamic-tool", toolName: "Read", state: "output-available" },
    { type: "step-start" },
    { type: "text", text: expect.stringContaining("Mix flour and eggs") as string },
  ]);
  const again = await transport.reconnectToStream({ chatId: message?.id ?? "" });
  const late = await collect(readUIMessageStream({ stream: again ?? new ReadableStream() }));
  expect(late.at(-1)).toEqual(message);
  const broken = await fetch(`${address}api/chat`, { method: "POST", body: "{}" });
  expect(broken.status).toBe(400);
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
});
