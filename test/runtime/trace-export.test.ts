import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { expect, test } from "vitest";
import { z } from "zod";
import { exportTraces } from "../../src/host.ts";
import { type Cadre, defineTool, type RunEvent } from "../../src/index.ts";
import { createIdGenerator } from "../../src/telemetry.ts";
import { agentCall, hang, startModelServer } from "../fixtures/model-server.ts";
import { createModelProject } from "../fixtures/project.ts";
import { scriptedRunner } from "../fixtures/runner/runner-fixture.ts";

/** A span in OTLP's JSON form. */
interface WrittenSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  events: { name: string }[];
  status: { code: number };
}

async function exportSpans(cadre: Cadre, id: string, hasContent = false): Promise<WrittenSpan[]> {
  const family = await cadre.tree(id);
  const journals = await Promise.all(
    family.map(async (run) => await (await cadre.find(run.id)).journal()),
  );
  const options = { hasContent, environment: { MY_TOKEN: "tok-12345678" }, version: "1" };
  return readSpans(await exportTraces(journals, options));
}

function readSpans(text: string): WrittenSpan[] {
  return text
    .trim()
    .split("\n")
    .flatMap((line) => {
      const { resourceSpans } = JSON.parse(line) as {
        resourceSpans: { scopeSpans: { spans: WrittenSpan[] }[] }[];
      };
      return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
    });
}

function createTraces() {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new TracerProvider({
    idGenerator: createIdGenerator(),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  return { telemetry: { tracerProvider }, exported: () => exporter.getFinishedSpans() };
}

/** Returns the parts that must be equal in an export during the execution and in one afterwards. */
function summarize(spans: readonly WrittenSpan[]): unknown[] {
  return spans
    .map(({ name, traceId, spanId, parentSpanId = "", attributes, events, status }) => ({
      name,
      traceId,
      spanId,
      parentSpanId,
      attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)])),
      events: events.map((event) => event.name),
      status: status.code,
    }))
    .toSorted(byId);
}

function summarizeLive(spans: readonly ReadableSpan[]): unknown[] {
  return spans
    .map((span) => ({
      name: span.name,
      traceId: span.spanContext().traceId,
      spanId: span.spanContext().spanId,
      parentSpanId: span.parentSpanContext?.spanId ?? "",
      // The journal has only the hash of the agent's definition.
      attributes: Object.fromEntries(
        Object.entries(span.attributes).filter(([key]) => key !== "gen_ai.agent.description"),
      ),
      events: span.events.map((event) => event.name),
      status: span.status.code,
    }))
    .toSorted(byId);
}

function readValue(written: Record<string, unknown>): unknown {
  const [value] = Object.values(written);
  if (!("arrayValue" in written)) return value;
  return (value as { values: Record<string, unknown>[] }).values.map(readValue);
}

function byId(one: { spanId: string }, other: { spanId: string }): number {
  return one.spanId.localeCompare(other.spanId);
}

const lookup = defineTool({
  name: "lookup",
  description: "Looks up.",
  input: z.object({ word: z.string() }),
  access: "none",
  execute: ({ word }) => {
    if (word === "bad") throw new Error("there is no such word");
    return `tok-12345678 ${word}`;
  },
});

test("an export has the spans that were sent during the execution, with their ids, parents and attributes", async () => {
  const { telemetry, exported } = createTraces();
  const server = await startModelServer(({ agent, turn }) => {
    if (agent === "helper" && turn === 0) return [{ tool: "lookup", input: { word: "bad" } }];
    if (agent === "main" && turn === 0) {
      const words = { tool: "lookup", input: { word: "one" } };
      return [agentCall("helper", "help"), words, agentCall("helper", "again")];
    }
    if (agent === "main" && turn === 1) return [{ tool: "final_output", input: { sum: 3 } }];
    return "done";
  });
  const project = createModelProject(server);
  project.writeAgent("helper");
  const cadre = await project.open({ model: "mock:mock", tools: [lookup], telemetry });
  const result = await cadre.run({
    agent: "main",
    task: "go",
    outputSchema: { type: "object", properties: { sum: { type: "number" } } },
  });
  expect(result).toMatchObject({ status: "succeeded", output: { sum: 3 } });
  const written = await exportSpans(cadre, result.runId);
  expect(written.length).toBeGreaterThan(10);
  expect(summarize(written)).toEqual(summarizeLive(exported()));
  for (const { startTimeUnixNano: start, endTimeUnixNano: end } of written) {
    expect(BigInt(end) - BigInt(start)).toBeGreaterThanOrEqual(0n);
  }
  expect(JSON.stringify(written)).not.toMatch(/no such word|help"/);
});

test("content is exported when it is asked for, without secrets", async () => {
  const server = await startModelServer(({ turn }) =>
    turn === 0 ? [{ tool: "lookup", input: { word: "one" } }] : "the answer",
  );
  const cadre = await createModelProject(server).open({ model: "mock:mock", tools: [lookup] });
  const { runId } = await cadre.run({ agent: "main", task: "go there" });
  const text = JSON.stringify(await exportSpans(cadre, runId, true));
  for (const part of ["the answer", "go there", String.raw`{\"word\":\"one\"}`, "[secret] one"]) {
    expect(text.replaceAll(String.raw`\\`, "\\")).toContain(part);
  }
  expect(text).not.toContain("tok-12345678");
});

test("the calls of a runner are in their turn", async () => {
  const { telemetry, exported } = createTraces();
  const project = createModelProject();
  const runner = scriptedRunner(project.folder);
  project.writeAgent("main", { runner }, "\ndo: call execute build\ndo: say finished");
  const cadre = await project.open({ mode: "auto", trust: true, telemetry });
  const { runId } = await cadre.run({ agent: "main", task: "go" });
  expect(summarize(await exportSpans(cadre, runId))).toEqual(summarizeLive(exported()));
});

test("a run that has not ended has spans until its last event, which say so", async () => {
  const server = await startModelServer(() => hang);
  const cadre = await createModelProject(server).open({ model: "mock:mock" });
  const run = await cadre.spawn({ agent: "main", task: "go" });
  await server.hung(1);
  const [span, ...others] = await exportSpans(cadre, run.id);
  expect(others).toEqual([]);
  expect(span?.name).toBe("invoke_agent main");
  expect(span?.attributes).toContainEqual({
    key: "cadre.unfinished",
    value: { boolValue: true },
  });
  await run.cancel();
});

test("a run that was created by a clock hours ahead waited no time", async () => {
  const server = await startModelServer(() => "done");
  const cadre = await createModelProject(server).open({ model: "mock:mock" });
  const { runId } = await cadre.run({ agent: "main", task: "go" });
  const [created, ...rest] = await (await cadre.find(runId)).journal();
  const ahead = { ...created, at: (created?.at ?? 0) + 7 * 3_600_000 } as RunEvent;
  const options = { hasContent: false, environment: {}, version: "1" };
  const spans = readSpans(await exportTraces([[ahead, ...rest]], options));
  const waits = spans.flatMap(({ attributes }) =>
    attributes.filter(({ key }) => key === "cadre.queue.duration"),
  );
  expect(waits).toEqual([{ key: "cadre.queue.duration", value: { intValue: 0 } }]);
});

test("a fork has spans of what it executed only", async () => {
  const { telemetry, exported } = createTraces();
  const server = await startModelServer(({ turn }) =>
    turn === 0 ? [{ tool: "lookup", input: { word: "one" } }] : "done",
  );
  const cadre = await createModelProject(server).open({
    model: "mock:mock",
    tools: [lookup],
    telemetry,
  });
  const { runId } = await cadre.run({ agent: "main", task: "go" });
  const before = exported().length;
  const fork = await cadre.fork(runId, { at: "model/1" });
  await fork.result();
  const live = exported().slice(before);
  expect(summarize(await exportSpans(cadre, fork.id))).toEqual(summarizeLive(live));
});
