import { AsyncLocalStorage } from "node:async_hooks";
import { join } from "node:path";
import { type Context, context, ROOT_CONTEXT } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { defineTool } from "../../src/index.ts";
import { createIdGenerator } from "../../src/telemetry.ts";
import { status } from "../fake-anthropic.ts";
import { startFailingModels } from "../fixtures/model/failing-models.ts";
import { createFreeListener, startWebServer } from "../fixtures/mcp/mcp-http-server.ts";
import { mcpAuthorized, serveMcp } from "../mcp/http-fixture.ts";
import { connectRaw, createFixture, shakeHands } from "../mcp/mcp-project.ts";
import { agentCall, hang, type ModelServer, startModelServer } from "../fixtures/model-server.ts";
import { createModelProject } from "../fixtures/project.ts";
import { readAsked, scriptedRunner } from "../fixtures/runner/runner-fixture.ts";
import { z } from "zod";

/** The setup of a program with its SDK: the active context follows asynchronous calls. */
const contexts = new AsyncLocalStorage<Context>();

beforeEach(() => {
  context.setGlobalContextManager({
    active: () => contexts.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...values) =>
      contexts.run(active, () => work.apply(self as never, values)),
    bind: (_, target) => target,
    enable: () => context as never,
    disable: () => context as never,
  });
});

afterEach(() => context.disable());

function createTraces(idGenerator = createIdGenerator()) {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new TracerProvider({
    idGenerator,
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const find = (name: string): ReadableSpan => {
    const span = exporter.getFinishedSpans().find((one) => one.name === name);
    if (span !== undefined) return span;
    const names = exporter.getFinishedSpans().map((one) => one.name);
    throw new Error(`There is no span ${name}, but ${names.join(", ")}.`);
  };
  return { tracerProvider, find, tracer: tracerProvider.getTracer("program"), exporter };
}

function headerOf(span: ReadableSpan): string {
  const { traceId, spanId } = span.spanContext();
  return `00-${traceId}-${spanId}-01`;
}

/** An MCP server that answers a call with its `_meta`. */
const metaServer = `
import { createInterface } from "node:readline";
const tools = [{ name: "meta", inputSchema: { type: "object" } }];
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const results = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "meta", version: "1" } },
    "tools/list": { tools },
    "tools/call": { content: [{ type: "text", text: JSON.stringify(params?._meta ?? {}) }] },
  };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
}
`;

describe("with a tracer provider of the program,", () => {
  test("the span of a request names the model that answered, after a change", async () => {
    const { tracerProvider, find } = createTraces();
    const { project, anthropic, options } = await startFailingModels(() => "done");
    anthropic.answers = [status(529, "overloaded_error", "Overloaded")];
    const cadre = await project.open({ ...options, telemetry: { tracerProvider } });
    await cadre.run({ agent: "main", task: "go", fallbacks: ["spare:big"] });
    const { attributes, events } = find("chat big");
    expect(attributes).toMatchObject({ "gen_ai.request.model": "big" });
    expect(events.find(({ name }) => name === "cadre.model-changed")?.attributes).toEqual({
      "cadre.model.from": "anthropic:claude-haiku-5-5",
      "cadre.model.to": "spare:big",
      "error.type": "overloaded",
    });
  });

  test("the active span at spawn is the parent of the family, and spans of own tools are in their calls", async () => {
    const { tracerProvider, tracer, find } = createTraces();
    const server = await startModelServer(({ turn }) =>
      turn === 0 ? [{ tool: "lookup", input: {} }] : "done",
    );
    const lookup = defineTool({
      name: "lookup",
      description: "Looks up.",
      input: z.object({}),
      access: "none",
      execute: () => tracer.startActiveSpan("query", (span) => (span.end(), "found")),
    });
    const cadre = await createModelProject(server).open({
      model: "mock:mock",
      tools: [lookup],
      telemetry: { tracerProvider },
    });
    const result = await tracer.startActiveSpan("request", async (span) => {
      const ended = await cadre.run({ agent: "main", task: "go" });
      span.end();
      return ended;
    });
    expect(result).toMatchObject({ status: "succeeded" });
    const run = find("invoke_agent main");
    const call = find("execute_tool lookup");
    expect(run.parentSpanContext?.spanId).toBe(find("request").spanContext().spanId);
    expect(call.parentSpanContext?.spanId).toBe(run.spanContext().spanId);
    expect(find("query").parentSpanContext?.spanId).toBe(call.spanContext().spanId);
    expect(call.attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "lookup",
      "gen_ai.tool.call.id": "call-0-0",
    });
    expect(server.turns[0]?.traceparent).toBe(headerOf(find("chat mock")));
    expect(find("chat mock").attributes).toMatchObject({
      "gen_ai.provider.name": "mock",
      "gen_ai.request.model": "mock",
      "gen_ai.response.id": "reply",
      "gen_ai.response.model": "mock",
      "gen_ai.response.finish_reasons": ["tool-calls"],
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 5,
      "gen_ai.conversation.id": result.runId,
    });
  });

  test("a call that delegates is a transfer, and the parent of the sub-agent's run", async () => {
    const { tracerProvider, find } = createTraces();
    const server = await startModelServer(({ agent, turn }) =>
      agent === "main" && turn === 0 ? [agentCall("helper", "help")] : "done",
    );
    const project = createModelProject(server);
    project.writeAgent("helper");
    const cadre = await project.open({ model: "mock:mock", telemetry: { tracerProvider } });
    await cadre.run({ agent: "main", task: "go" });
    const call = find("execute_tool Agent helper");
    expect(call.attributes).toMatchObject({
      "gen_ai.transfer.mode": "return_to_caller",
      "gen_ai.transfer.target.name": "helper",
    });
    const helper = find("invoke_agent helper");
    expect(helper.parentSpanContext?.spanId).toBe(call.spanContext().spanId);
    expect(helper.attributes).toMatchObject({ "cadre.run.depth": 1, "cadre.run.cached": false });
  });

  test("MCP servers get the trace in `_meta`, and over HTTP in a header too", async () => {
    const { tracerProvider, find } = createTraces();
    const web = await startWebServer(createFreeListener());
    const server = await startModelServer(({ turn, last }) => {
      if (turn > 0) return last.join("\n");
      const echo = { tool: "mcp__web__echo", input: { text: "hi" } };
      return [{ tool: "mcp__meta__meta", input: {} }, echo];
    });
    const project = createModelProject(server);
    project.write("meta.mjs", metaServer);
    const meta = { command: process.execPath, args: [join(project.folder, "meta.mjs")] };
    project.write(
      ".cadre/config.yaml",
      JSON.stringify({ extensions: { meta, web: { url: web.url } } }),
    );
    const cadre = await project.open({
      model: "mock:mock",
      mode: "auto",
      trust: true,
      telemetry: { tracerProvider },
    });
    const { text } = await cadre.run({ agent: "main", task: "go" });
    expect(text).toContain(headerOf(find("execute_tool mcp__meta__meta")));
    const traced = web.requests.map(({ headers }) => headers["traceparent"]);
    expect(traced).toContain(headerOf(find("execute_tool mcp__web__echo")));
  });

  test("a runner gets the trace in its prompts, and its calls are in their turn", async () => {
    const { tracerProvider, find, exporter } = createTraces();
    const project = createModelProject();
    const runner = scriptedRunner(project.folder);
    project.writeAgent("main", { runner }, "\ndo: call execute build\ndo: say finished");
    const cadre = await project.open({ mode: "auto", trust: true, telemetry: { tracerProvider } });
    expect(await cadre.run({ agent: "main", task: "go" })).toMatchObject({ status: "succeeded" });
    const prompt = readAsked(project.folder).find(({ method }) => method === "session/prompt");
    const turns = exporter.getFinishedSpans().filter(({ name }) => name === "invoke_agent main");
    const turn = turns.find(({ attributes }) => attributes["cadre.runner"] === true);
    const traceparent = turn && headerOf(turn);
    expect(prompt?.params).toMatchObject({ _meta: { traceparent }, traceparent });
    const call = find("execute_tool execute");
    expect(call.parentSpanContext?.spanId).toBe(turn?.spanContext().spanId);
  });

  test("one that makes its own ids gets a warning when a family is resumed", async () => {
    const ids = { generateTraceId: () => "1".repeat(32), generateSpanId: () => "2".repeat(16) };
    const { tracerProvider, find } = createTraces(ids);
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const server: ModelServer = await startModelServer(() =>
      server.turns.length === 1 ? hang : "done",
    );
    const project = createModelProject(server);
    const options = { model: "mock:mock", telemetry: { tracerProvider } };
    const first = await project.open(options);
    const { id } = await first.spawn({ agent: "main", task: "go" });
    await server.hung(1);
    await first.close({ leaveRuns: true });
    const second = await project.open(options);
    const [run] = await second.resume(id);
    expect(await run?.result()).toMatchObject({ status: "succeeded" });
    expect(find("invoke_agent main").attributes).toMatchObject({ "cadre.run.processes": 2 });
    const received = warnings.filter(({ message }) => message.includes("createIdGenerator()"));
    expect(received).toHaveLength(1);
  });

  test("an MCP client's `_meta` names the parent of the family that its call starts, else its HTTP header does", async () => {
    const { tracerProvider, exporter } = createTraces();
    const parents = (): (string | undefined)[] =>
      exporter
        .getFinishedSpans()
        .flatMap(({ name, parentSpanContext: parent }) =>
          name === "invoke_agent worker" ? `${parent?.traceId}-${parent?.spanId}` : [],
        );
    const project = createFixture(await startModelServer(() => "done"));
    project.writeAgent("worker");
    const call = { name: "agent", arguments: { type: "worker", prompt: "go" } };
    const raw = connectRaw(project, { telemetry: { tracerProvider } });
    await shakeHands(raw);
    const [trace, other] = [
      `${"a".repeat(32)}-${"b".repeat(16)}`,
      `${"c".repeat(32)}-${"d".repeat(16)}`,
    ];
    const answer = await raw.call("agent", call.arguments, {
      _meta: { traceparent: `00-${trace}-01` },
    });
    expect(answer.result).toMatchObject({ content: [{ text: "done" }] });
    expect(parents()).toEqual([trace]);
    const { url } = await serveMcp(project, 0, { telemetry: { tracerProvider } });
    const client = new Client({ name: "traced", version: "1" });
    const headers = { ...mcpAuthorized, traceparent: `00-${other}-01` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
    );
    await client.callTool(call);
    await client.close();
    expect(parents()).toEqual([trace, other]);
  });
});

test("a traced family keeps its place in the caller's trace in its journal", async () => {
  const { tracerProvider, tracer, find } = createTraces();
  const server = await startModelServer(() => "done");
  const cadre = await createModelProject(server).open({
    model: "mock:mock",
    telemetry: { tracerProvider },
  });
  const run = await tracer.startActiveSpan("request", async (span) => {
    span.end();
    return await cadre.spawn({ agent: "main", task: "go" });
  });
  await run.result();
  const traceparent = headerOf(find("request"));
  expect((await run.state()).trace).toEqual({ traceparent });
});

test("without the option nothing is traced, and no request has a header", async () => {
  const server = await startModelServer(() => "done");
  const cadre = await createModelProject(server).open({ model: "mock:mock" });
  const { tracer } = createTraces();
  const run = await tracer.startActiveSpan("request", (span) => {
    span.end();
    return cadre.spawn({ agent: "main", task: "go" });
  });
  await run.result();
  expect(server.turns[0]?.traceparent).toBeUndefined();
  expect((await run.state()).trace).toBeUndefined();
});

test.each([
  [true, "telemetry: expected `environment`, or an object with tracerProvider and meterProvider"],
  [{ tracerProvider: {} }, "telemetry.tracerProvider: expected a tracer provider of OpenTelemetry"],
  [{ tracer: 1 }, "tracer"],
])("the option %j is refused", async (telemetry, message) => {
  const opened = createModelProject().open({ telemetry: telemetry as never });
  await expect(opened).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining(message),
  });
});
