// `node examples/06-streams/server.ts [MODEL]`: a chat in the browser, with the protocol of the AI SDK's `useChat`.
import { createReadStream } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { z } from "zod";
// In your own project: from "cadre".
import { CadreError, createCadre, type RunHandle } from "../../src/index.ts";

const [model = "scripted:script.yaml"] = process.argv.slice(2);
const cadre = await createCadre({
  cwd: import.meta.dirname,
  model,
  mode: "plan",
  registry: await mkdtemp(join(tmpdir(), "cadre-example-")),
  // The script of the model is in this folder.
  trust: true,
});

/** The part of a `useChat` request that contains the user's text. */
const Request = z.object({
  messages: z
    .array(
      z.object({ parts: z.array(z.object({ type: z.string(), text: z.string().optional() })) }),
    )
    .min(1),
});

/** Sends the output of a run as server-sent events. The run continues when the browser disconnects. */
async function sendRun(run: RunHandle, response: ServerResponse): Promise<void> {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "x-vercel-ai-ui-message-stream": "v1",
  });
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    for await (const chunk of run.toUIMessageStream({ signal: gone.signal })) {
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  if (request.method === "POST" && pathname === "/api/chat") {
    const { messages } = Request.parse(await json(request));
    const task =
      messages
        .at(-1)
        ?.parts.map(({ text }) => text ?? "")
        .join("") ?? "";
    const run = await cadre.spawn({ agent: "main", task, tools: ["Read", "LS", "Grep"] });
    return await sendRun(run, response);
  }
  // Late readers get everything from the beginning, for example after a reload of the page or from another browser.
  const [, id] = /^\/api\/chat\/([\w-]+)\/stream$/.exec(pathname) ?? [];
  if (id !== undefined) return await sendRun(await cadre.find(id), response);
  if (pathname !== "/") return void response.writeHead(404).end();
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  createReadStream(join(import.meta.dirname, "page.html")).pipe(response);
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    const isKnown = error instanceof CadreError || error instanceof z.ZodError;
    if (!response.headersSent) response.writeHead(isKnown ? 400 : 500);
    response.end(isKnown ? error.message : "The server has a problem.");
  });
});
server.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`http://127.0.0.1:${address?.port}/`);
});
process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
  void cadre.close();
});
