import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createClient } from "../../../src/client.ts";
import { cadre, type Project } from "../../cli/command-line.ts";
import { createServedProject, serveInProcess, token } from "../../serve/serve-fixture.ts";
import { serve } from "../../serve/serve-process.ts";

const secret = `whsec_${Buffer.from("a secret of webhooks").toString("base64")}`;

/** Creates a project with this user configuration. */
function createAutomated(config: string): Project {
  const project = createServedProject();
  mkdirSync(join(project.home, ".cadre"), { recursive: true });
  writeFileSync(join(project.home, ".cadre", "config.yaml"), config);
  Object.assign(project.environment, { REVIEW_SECRET: "only-review", HOOK_SECRET: secret });
  return project;
}

const triggers = `triggers:
  review:
    start: { agent: main, task: review, label: from-trigger }
    secretEnv: REVIEW_SECRET
  plan:
    graph: plan.yaml
`;

/** A received webhook. */
interface Received {
  type: string;
  data: { run: { id: string; status: string; agent: string }; question?: object };
  id: string;
}

/** Starts a server that accepts webhooks after it has refused the first `refused`. */
async function receive(
  refused = 0,
): Promise<{ url: string; received: Received[]; seen: string[] }> {
  const received: Received[] = [];
  const seen: string[] = [];
  const verifier = new Webhook(secret);
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const message = verifier.verify(body, request.headers as Record<string, string>) as Received;
      const id = String(request.headers["webhook-id"]);
      seen.push(id);
      if (seen.length <= refused) return response.writeHead(503).end();
      received.push({ ...message, id });
      return response.writeHead(204).end();
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, received, seen };
}

const soon = { timeout: 20_000, interval: 50 };

describe("triggers", () => {
  test("start what they describe, with the data of the request, once for a key", async () => {
    const project = createAutomated(triggers);
    project.write("plan.yaml", "runs:\n  - { label: one, agent: worker, task: go }\n");
    const { url } = await serveInProcess({ project });
    const client = createClient({ url, token });
    const given = { branch: "main", text: "{{label}} $(id)" };
    const { run } = await client.startTrigger("review", given, { idempotencyKey: "k" });
    const again = await client.startTrigger("review", given, { idempotencyKey: "k" });
    expect(again.run.id).toBe(run.id);
    await client.readResult(run.id);
    const events = await client.listRunEvents(run.id);
    const task = expect.stringContaining('"text": "{{label}} $(id)"') as string;
    expect(events.events[0]).toMatchObject({ spec: { label: "from-trigger", task } });
    const graph = await client.startTrigger("plan");
    expect((await client.readResult(graph.run.id)).result.status).toBe("succeeded");
    await expect(client.startTrigger("plan", { a: 1 })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("Expected no data, because it starts a graph"),
    });
    await expect(client.startTrigger("none")).rejects.toMatchObject({ status: 404 });
  });

  test("are started by their own secret, which permits nothing else", async () => {
    const { url } = await serveInProcess({ project: createAutomated(triggers) });
    const { triggers: listed } = await createClient({ url, token }).listTriggers();
    expect(listed).toEqual([
      { name: "review", agent: "main", recipe: null, graph: null, data: "input", hasSecret: true },
      { name: "plan", agent: null, recipe: null, graph: "plan.yaml", data: null, hasSecret: false },
    ]);
    const own = createClient({ url, token: "only-review" });
    expect((await own.startTrigger("review")).run.agent).toBe("main");
    const notSignedIn = { code: "not-signed-in" };
    await expect(own.startTrigger("plan")).rejects.toMatchObject(notSignedIn);
    await expect(own.listRuns()).rejects.toMatchObject(notSignedIn);
    await expect(own.startTrigger("../runs")).rejects.toMatchObject(notSignedIn);
    const wrong = createClient({ url, token: "only-reviews" });
    await expect(wrong.startTrigger("review")).rejects.toMatchObject({ status: 401 });
  });

  test("are started by the command, which says what exists", async () => {
    const project = createAutomated(triggers);
    const words = ["trigger", "review", "--data", '{"branch":"main"}', "--json"];
    const { code, stdout } = await cadre(project, words);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: "succeeded", text: "done" });
    const unknown = await cadre(project, ["trigger", "reviews"]);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('one of review, plan; got "reviews"');
    const wrong = await cadre(project, ["trigger", "review", "--data", "{"]);
    expect(wrong.stderr).toContain("Expected JSON after --data; got {");
  });

  test("of an untrusted project are ignored", async () => {
    const project = createServedProject();
    project.write(".cadre/config.yaml", triggers);
    const { code, stderr } = await cadre(project, ["trigger", "review"]);
    expect(code).toBe(2);
    expect(stderr).toContain("the configuration has no triggers");
  });
});

describe("schedules", () => {
  test("are executed by the server, and listed with their next times and last runs", async () => {
    const project = createAutomated(
      `${triggers}schedules:\n  often: { cron: "* * * * * *", trigger: review, value: { by: clock } }\n  odd: { cron: "61 * * * *", trigger: review }\n`,
    );
    const { url, server } = await serve({ project });
    const client = createClient({ url, token });
    const runs = await vi.waitFor(async () => {
      const found = (await client.listRuns()).runs;
      expect(found.length).toBeGreaterThan(1);
      return found;
    }, soon);
    const [first] = (await client.listRunEvents(runs[0]?.id ?? "")).events;
    const task = expect.stringContaining('"by": "clock"') as string;
    expect(first).toMatchObject({ spec: { task } });
    const { stdout } = await cadre(project, ["schedule", "list", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      schedules: [
        { name: "often", problem: null, lastRunId: expect.any(String) as string },
        { name: "odd", nextAt: null, problem: expect.stringContaining("is not valid") as string },
      ],
    });
    const listed = await client.listSchedules();
    expect(listed.schedules.map(({ name, trigger }) => `${name} ${trigger}`)).toEqual([
      "often review",
      "odd review",
    ]);
    expect(listed.schedules[0]).toMatchObject({ lastRunId: expect.any(String) as string });
    await server.printed("The schedule odd is not executed.");
    await server.printed("The schedule often started ");
  });

  test("say what is wrong in the configuration", async () => {
    const project = createAutomated(
      'triggers:\n  both: { start: { agent: a }, graph: b }\nschedules:\n  bad: { cron: "every day", trigger: x }\nwebhooks:\n  w: { url: "ftp://x", secretEnv: "A B" }\n',
    );
    const { code, stderr } = await cadre(project, ["trigger", "both"]);
    expect(code).toBe(2);
    expect(stderr).toContain("triggers.both: expected `start` or `graph`, got both.");
    expect(stderr).toContain(
      'schedules.bad.cron: expected five fields such as `0 3 * * *`, got "every day".',
    );
    expect(stderr).not.toContain("ftp://x");
  });
});

describe("webhooks", () => {
  const config = (url: string): string =>
    `webhooks:\n  chat: { url: "${url}", secretEnv: HOOK_SECRET, events: [run-started, run-finished, question-asked, question-answered] }\n`;

  test("tell of runs and questions, signed, again until the server takes them, in order", async () => {
    const { url: hook, received, seen } = await receive(1);
    const project = createAutomated(config(hook));
    const { url } = await serveInProcess({ project });
    const client = createClient({ url, token });
    await vi.waitFor(async () => {
      const { stdout } = await cadre(project, ["webhooks", "--json"]);
      expect(stdout).toContain('"failing": null');
    }, soon);
    const { run } = await client.startRun({ agent: "main", task: "ask" });
    const question = await vi.waitFor(async () => {
      const [first] = (await client.listQuestions()).questions;
      expect(first).toBeDefined();
      return first?.id ?? "";
    }, soon);
    await client.answerQuestion({ question, answer: { decision: "deny" } });
    await vi.waitFor(() => expect(received).toHaveLength(4), soon);
    expect(received.map(({ type }) => type)).toEqual([
      "run-started",
      "question-asked",
      "question-answered",
      "run-finished",
    ]);
    expect(received[3]).toMatchObject({ data: { run: { id: run.id, status: "succeeded" } } });
    expect(received[1]?.data.question).toBeDefined();
    expect(seen[1]).toBe(seen[0]);
  });

  test("continue where they were after the server was killed, and leave out descendants", async () => {
    const { url: hook, received } = await receive(2);
    const project = createAutomated(config(hook));
    const first = await serve({ project });
    const client = createClient({ url: first.url, token });
    await vi.waitFor(async () => {
      const { stdout } = await cadre(project, ["webhooks", "--json"]);
      expect(stdout).toContain('"failing": null');
    }, soon);
    const { run } = await client.startRun({ agent: "main", task: "delegate" });
    await client.readResult(run.id);
    await vi.waitFor(async () => {
      const { stdout } = await cadre(project, ["webhooks"]);
      expect(stdout).toContain("the server answered 503");
    }, soon);
    first.server.child.kill("SIGKILL");
    await first.server.ended;
    await serveInProcess({ project });
    await vi.waitFor(() => expect(received).toHaveLength(2), soon);
    expect(received.map(({ type, data }) => `${type} ${data.run.agent}`)).toEqual([
      "run-started main",
      "run-finished main",
    ]);
  });

  test("without a secret are not sent, which the command says", async () => {
    const project = createAutomated(
      "webhooks:\n  chat: { url: 'http://127.0.0.1:1', secretEnv: NO_SUCH }\n",
    );
    const { url, server } = await serve({ project });
    await server.printed("The webhook chat is not sent. Expected its secret in NO_SUCH.");
    const { stdout } = await cadre(project, ["webhooks"]);
    expect(stdout).toContain(
      "not sent by a process with this environment. Expected its secret in the variable NO_SUCH.",
    );
    const { webhooks: listed } = await createClient({ url, token }).listWebhooks();
    expect(listed).toMatchObject([{ name: "chat", failing: null, repeated: 0 }]);
    expect(JSON.stringify(listed)).not.toContain("127.0.0.1");
  });
});
