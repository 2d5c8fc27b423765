import { existsSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { ReceivedSpan } from "../../fixtures/telemetry/otlp-protobuf.ts";
import {
  type ReceiverAnswer,
  type OtlpReceiver,
  startOtlpReceiver,
} from "../../fixtures/telemetry/otlp-receiver.ts";
import {
  agentFile,
  cadre,
  createProject,
  type Project,
  type Started,
} from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";

const script = `
scripts:
  - when: { agent: worker, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "printenv TRACEPARENT > worker.trace" } }] }
  - when: { agent: worker }
    reply: { text: The worker is done. }
  - when: { task: family, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: worker, prompt: secret-task } }] }
  - when: { task: family, turn: 1 }
    reply: { calls: [{ tool: Bash, input: { command: "touch held; while ! test -e go; do sleep 0.05; done" } }] }
  - when: { task: family }
    reply: { text: The family is done. }
  - when: { task: missing }
    reply: { calls: [{ tool: Read, input: { file_path: missing.txt } }] }
`;

const receivers: OtlpReceiver[] = [];

afterAll(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

/** Creates a project whose telemetry goes to a receiver. */
async function createTracedProject(
  protocol: string,
  answer?: ReceiverAnswer,
): Promise<{ project: Project; receiver: OtlpReceiver }> {
  const receiver = await startOtlpReceiver(answer);
  receivers.push(receiver);
  const project = createProject({
    "script.yaml": script,
    ".cadre/agents/worker.md": agentFile("worker"),
    ".cadre/agents/short.md": agentFile("short").replace(
      "description",
      "max_turns: 2\ndescription",
    ),
  });
  project.environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = receiver.url;
  project.environment["OTEL_EXPORTER_OTLP_PROTOCOL"] = protocol;
  return { project, receiver };
}

/** Waits until a condition holds. The test must not hang when the command ends before that. */
async function until(isSo: () => boolean, { ended }: Started): Promise<void> {
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  while (!isSo()) {
    if (hasEnded) throw new Error(`The command ended: ${JSON.stringify(await ended)}`);
    await wait(20);
  }
}

/** Returns the spans as lines, indented below their parents, in the order of their names. */
function treeOf(spans: readonly ReceivedSpan[], parentSpanId: string, depth = 0): string[] {
  return spans
    .filter((span) => span.parentSpanId === parentSpanId)
    .toSorted((left, right) => left.name.localeCompare(right.name))
    .flatMap((span) => {
      const line = `${"  ".repeat(depth)}${span.name}`;
      return [line].concat(treeOf(spans, span.spanId, depth + 1));
    });
}

const family = [
  "invoke_agent main",
  "  chat script.yaml",
  "  chat script.yaml",
  "  chat script.yaml",
  "  execute_tool Agent worker",
  "    invoke_agent worker",
  "      chat script.yaml",
  "      chat script.yaml",
  "      execute_tool Bash",
  "  execute_tool Bash",
];

describe.concurrent.each(["http/json", "http/protobuf"])("over %s,", (protocol) => {
  it("a family is one trace with the tree of its runs, also when its process is killed and it is resumed", async () => {
    const { project, receiver } = await createTracedProject(protocol);
    const run = start(project, ["run", "family", "--mode", "auto"]);
    const isHeld = (): boolean => existsSync(join(project.path, "held"));
    await until(() => isHeld() && receiver.spans.length >= 6, run);
    run.child.kill("SIGKILL");
    await run.ended;
    const before = receiver.spans.length;
    project.write("go", "");
    const resumed = await start(project, ["resume", "--mode", "auto"]).ended;
    expect(resumed).toMatchObject({ code: 0 });
    const { spans } = receiver;
    expect(spans.length).toBeGreaterThan(before);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    expect(treeOf(spans, "")).toEqual(family);
    const bash = spans.find(({ name, parentSpanId }) => {
      const parent = spans.find(({ spanId }) => spanId === parentSpanId);
      return name === "execute_tool Bash" && parent?.name === "invoke_agent worker";
    });
    const seen = readFileSync(join(project.path, "worker.trace"), "utf8").trim();
    expect(seen).toBe(`00-${bash?.traceId}-${bash?.spanId}-01`);
    const root = spans.find(({ parentSpanId }) => parentSpanId === "");
    expect(root?.attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "main",
      "cadre.run.processes": 2,
      "cadre.run.status": "succeeded",
      "cadre.run.turns": 3,
    });
  });
});

describe.concurrent("telemetry of the command", () => {
  it("continues the trace in TRACEPARENT, names the service, and counts tokens and runs", async () => {
    const { project, receiver } = await createTracedProject("http/json");
    project.write("go", "");
    Object.assign(project.environment, {
      TRACEPARENT: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      OTEL_SERVICE_NAME: "agents-of-ci",
      OTEL_RESOURCE_ATTRIBUTES: "team=shop",
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=value",
    });
    const { code } = await start(project, ["run", "family", "--mode", "auto"]).ended;
    expect(code).toBe(0);
    const { spans, points, resources, requests } = receiver;
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(
      new Set(["4bf92f3577b34da6a3ce929d0e0e4736"]),
    );
    expect(treeOf(spans, "00f067aa0ba902b7")).toEqual(family);
    expect(resources[0]).toMatchObject({ "service.name": "agents-of-ci", team: "shop" });
    expect(requests[0]?.headers["x-key"]).toBe("value");
    const ofRuns = points.filter(({ name }) => name === "cadre.run.count");
    expect(ofRuns.map(({ attributes, sum }) => [attributes["gen_ai.agent.name"], sum])).toEqual(
      expect.arrayContaining([
        ["main", 1],
        ["worker", 1],
      ]),
    );
    expect(points.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "gen_ai.client.token.usage",
        "gen_ai.client.operation.duration",
        "gen_ai.client.inference.usage.input_tokens",
        "gen_ai.execute_tool.duration",
        "gen_ai.invoke_agent.duration",
        "cadre.run.queue.duration",
      ]),
    );
  });

  it("contains content only when that is asked for, and then without secrets", async () => {
    const { project, receiver } = await createTracedProject("http/json");
    project.write("go", "");
    await start(project, ["run", "family", "--mode", "auto"]).ended;
    expect(JSON.stringify(receiver.spans)).not.toContain("secret-task");
    expect(JSON.stringify(receiver.spans)).not.toContain("is done");
    receiver.spans.length = 0;
    project.environment["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "true";
    project.environment["SHOP_API_KEY"] = "secret-task";
    await start(project, ["run", "family", "--mode", "auto"]).ended;
    const sent = JSON.stringify(receiver.spans);
    expect(sent).not.toContain("secret-task");
    expect(sent).toContain("[secret]");
    expect(sent).toContain("The worker is done.");
    const call = receiver.spans.find(({ name }) => name === "execute_tool Bash");
    expect(call?.attributes["gen_ai.tool.call.arguments"]).toContain("printenv TRACEPARENT");
  });

  it("marks a failed call and a failed run with the code of the failure", async () => {
    const { project, receiver } = await createTracedProject("http/json");
    const { code } = await start(project, ["run", "--agent", "short", "missing"]).ended;
    expect(code).toBe(1);
    const failed = receiver.spans.filter(({ status }) => status === 2);
    expect(failed.map(({ name, attributes }) => [name, attributes["error.type"]])).toEqual(
      expect.arrayContaining([
        ["execute_tool Read", "tool_error"],
        ["invoke_agent short", "limit-exceeded"],
      ]),
    );
  });

  it.each<[string, ReceiverAnswer | "down"]>([
    ["is down", "down"],
    ["answers 500", 500],
    ["never answers", "never"],
  ])(
    "changes nothing when the endpoint %s, beside one warning and two seconds",
    async (_, answer) => {
      const { project, receiver } = await createTracedProject(
        "http/protobuf",
        answer === "down" ? 200 : answer,
      );
      if (answer === "down")
        project.environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:9";
      project.write("go", "");
      const run = start(project, ["run", "family", "--mode", "auto"]);
      let printedAt: number | undefined;
      run.child.stdout?.on("data", () => (printedAt ??= performance.now()));
      const { code, stdout, stderr } = await run.ended;
      expect(code).toBe(0);
      expect(stdout).toContain("The family is done.");
      expect(stderr.match(/Telemetry could not be sent/g)).toHaveLength(1);
      // Without the run itself, which takes long on a busy machine.
      expect(performance.now() - (printedAt ?? 0)).toBeLessThan(30_000);
      expect(answer === "down" || receiver.requests.length > 0).toBe(true);
    },
  );

  it("is off when OTEL_SDK_DISABLED is true, and says why where a variable asks for what Cadre does not have", async () => {
    const { project, receiver } = await createTracedProject("http/json");
    project.write("go", "");
    project.environment["OTEL_SDK_DISABLED"] = "true";
    await start(project, ["run", "family", "--mode", "auto"]).ended;
    project.environment["OTEL_SDK_DISABLED"] = "false";
    project.environment["OTEL_EXPORTER_OTLP_PROTOCOL"] = "grpc";
    const { code, stderr } = await start(project, ["run", "family", "--mode", "auto"]).ended;
    expect(code).toBe(0);
    expect(stderr).toContain('Telemetry is off: OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"');
    expect(receiver.requests).toEqual([]);
    const { stdout } = await cadre(project, ["config"]);
    expect(stdout).toContain("Telemetry is off: OTEL_EXPORTER_OTLP_PROTOCOL");
  });

  it("is shown by `cadre config`", async () => {
    const project = createProject();
    expect((await cadre(project, ["config"])).stdout).toContain("Telemetry is off\n");
    project.environment["OTEL_TRACES_EXPORTER"] = "otlp";
    const { stdout } = await cadre(project, ["config", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ telemetry: "on: traces over http/protobuf" });
  });
});
