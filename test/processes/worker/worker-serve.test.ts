import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ApiClient, createClient } from "../../../src/client.ts";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import {
  createWorkerFixture,
  readPrintedWork,
  startReadyWorker,
  poll,
} from "../../fixtures/postgres/worker-fixture.ts";
import { token } from "../../serve/serve-fixture.ts";
import { serve } from "../../serve/serve-process.ts";
import { type Project } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";

const script = `scripts: [{ reply: { text: "answer to {{task}}" } }]`;

const recipe = `version: 1.0.0
title: Greet
description: Greets.
parameters: [{ key: name, input_type: string, requirement: required, description: Whom. }]
prompt: greet {{ name }}
`;

const pipeline = `---
inputs: [one, two]
---
build it
`;

const config = `engine: dbos
queue: { maxWaiting: 5 }
triggers:
  greet: { start: { agent: greet, queue: { priority: 3, dedupeKey: greet } }, data: parameters, secretEnv: GREET_SECRET }
  release: { graph: release.yaml, queue: { priority: 7 } }
  later: { start: { agent: main, task: later, queue: { startAfterSeconds: 3600 } } }
`;

/** Serves a project whose runs workers execute. */
async function serveForWorkers(): Promise<{ project: Project; client: ApiClient; url: string }> {
  const project = await createWorkerFixture(script);
  project.write(".cadre/recipes/greet.yaml", recipe);
  project.write(
    "release.yaml",
    "runs: [{ label: one, agent: helper, task: one }, { label: two, agent: helper, task: two, dependsOn: one }]",
  );
  project.write("build.md", pipeline);
  mkdirSync(join(project.home, ".cadre"), { recursive: true });
  writeFileSync(join(project.home, ".cadre", "config.yaml"), config);
  Object.assign(project.environment, { CADRE_SERVE_TOKEN: token, GREET_SECRET: "s3cret-s3cret" });
  const { url } = await serve({ project, mode: "auto" });
  return { project, client: createClient({ url, token }), url };
}

describe.skipIf(postgresUrl === undefined)("runs of a server with workers", () => {
  it("are recipes and graphs of triggers with priority, key and start time, beside pipelines of the command", async () => {
    const { project, client, url } = await serveForWorkers();
    const greeting = createClient({ url, token: "s3cret-s3cret" });
    const first = await greeting.startTrigger("greet", { name: "Ada" }, { idempotencyKey: "a" });
    const again = await greeting.startTrigger("greet", { name: "Ada" }, { idempotencyKey: "a" });
    const same = await greeting.startTrigger("greet", { name: "Bob" });
    expect([again.run.id, same.run.id]).toEqual([first.run.id, first.run.id]);
    const { run: graph } = await client.startTrigger("release");
    const { run: later } = await client.startTrigger("later");
    const piped = start(project, ["run", "build.md", "--dedupe", "build"], null);
    await expect.poll(async () => (await readPrintedWork(project)).waiting.length, poll).toBe(4);
    const { waiting } = await readPrintedWork(project);
    expect(waiting).toMatchObject([
      { rootId: graph.id, priority: 7, startsInMs: null },
      { rootId: first.run.id, priority: 3 },
      { rootId: later.id, priority: 0 },
      { priority: 0, startsInMs: null },
    ]);
    expect(waiting[2]?.startsInMs).toBeGreaterThan(3_000_000);
    await startReadyWorker(project);
    expect((await client.readResult(first.run.id)).result).toMatchObject({
      status: "succeeded",
      text: "answer to greet Ada",
    });
    expect((await client.readResult(graph.id)).result?.status).toBe("succeeded");
    const { code, stderr } = await piped.ended;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const agentsOf = async (id: string): Promise<string[]> =>
      (await client.readTree(id)).runs.map(({ agent }) => agent);
    expect(await agentsOf(graph.id)).toEqual([graph.agent, "helper", "helper"]);
    expect(await agentsOf(waiting[3]?.rootId ?? "")).toEqual(["build.md", "main", "main"]);
    expect((await client.readRun(later.id)).run.status).toBe("queued");
  });

  it("are refused when too many families wait, and may be repeated with the same key", async () => {
    const { project, client } = await serveForWorkers();
    for (let at = 0; at < 5; at += 1) await client.startTrigger("later");
    const call = { idempotencyKey: "once" };
    const message =
      "Expected fewer than 5 families to wait for a worker (`queue.maxWaiting`); 5 do";
    const problem = { code: "limit-exceeded", message: expect.stringContaining(message) as string };
    await expect(client.startTrigger("greet", { name: "Ada" }, call)).rejects.toMatchObject(
      problem,
    );
    await expect(client.startTrigger("release")).rejects.toMatchObject(problem);
    const { runs } = await client.listRuns();
    expect(runs).toHaveLength(5);
    await client.cancelRun(runs[0]?.id ?? "");
    const { run } = await client.startTrigger("greet", { name: "Ada" }, call);
    await startReadyWorker(project);
    expect((await client.readResult(run.id)).result).toMatchObject({ status: "succeeded" });
  });
});
