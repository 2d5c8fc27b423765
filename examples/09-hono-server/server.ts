// `node examples/09-hono-server/server.ts [MODEL]`: starts runs over HTTP and streams them to browsers with the AI SDK's UI protocol.
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { createUIMessageStreamResponse } from "ai";
import { Hono } from "hono";
import { z } from "zod";
// In your own project: from "cadre".
import { CadreError, createCadre } from "../../src/index.ts";

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
const Part = z.object({ type: z.string(), text: z.string().default("") });
const Request = z.object({ messages: z.array(z.object({ parts: z.array(Part) })).min(1) });

const app = new Hono();

app.post("/api/chat", async (context) => {
  const { messages } = Request.parse(await context.req.json());
  const task = messages.at(-1)?.parts.map(({ text }) => text);
  const run = await cadre.spawn({ agent: "main", task: task?.join("") ?? "", tools: ["Read"] });
  // The run continues when the browser disconnects.
  return createUIMessageStreamResponse({ stream: run.toUIMessageStream() });
});

// The same stream again from its beginning, for example after a reload of the page or in another browser.
app.get("/api/chat/:run/stream", async (context) => {
  const run = await cadre.find(context.req.param("run"));
  return createUIMessageStreamResponse({ stream: run.toUIMessageStream() });
});

app.get("/api/runs", async (context) => context.json(await cadre.runs()));

app.delete("/api/runs/:run", async (context) => {
  const run = await cadre.find(context.req.param("run"));
  return context.json({ cancelled: await run.cancel("the user cancelled it") });
});

app.get("/", async (context) =>
  context.html(await readFile(join(import.meta.dirname, "../06-streams/page.html"), "utf8")),
);

app.onError((error, context) => {
  if (error instanceof CadreError && error.code === "run-not-found") {
    return context.text(error.message, 404);
  }
  const isOfUser =
    error instanceof CadreError || error instanceof z.ZodError || error instanceof SyntaxError;
  return isOfUser
    ? context.text(error.message, 400)
    : context.text("The server has a problem.", 500);
});

const port = Number(process.env["PORT"] ?? 0);
const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, (address) =>
  console.log(`http://127.0.0.1:${address.port}/`),
);
process.once("SIGTERM", () => {
  server.close();
  if ("closeAllConnections" in server) server.closeAllConnections();
  void cadre.close();
});
