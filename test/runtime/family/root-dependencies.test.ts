import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Cadre, Delegation, RunResult } from "../../../src/index.ts";
import {
  hang,
  type ServerReply,
  type ServerTurn,
  startModelServer,
} from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";
import { inThisProcess } from "../../fixtures/postgres/in-this-process.ts";

async function open(
  script: (turn: ServerTurn) => ServerReply = ({ task }) => `did: ${task}`,
  endpoints: readonly string[] = [],
) {
  const server = await startModelServer(script);
  const project = createModelProject(server, endpoints);
  project.writeAgent("worker", { max_turns: 2 });
  return { server, project, cadre: await project.open() };
}

async function run(cadre: Cadre, request: Omit<Delegation, "agent">): Promise<RunResult> {
  return await (await cadre.spawn({ agent: "worker", ...request })).result();
}

describe("runs of a program that depend on each other", () => {
  test("refer to each other by labels or ids, also before the first one has begun", async () => {
    const { server, cadre } = await open();
    const results = await Promise.all([
      run(cadre, { task: "one", label: "first" }),
      run(cadre, {
        task: "two",
        label: "second",
        dependsOn: "first",
        includeDependencyResult: true,
      }),
      run(cadre, { task: "three", dependsOn: ["first"], sharedContext: { $second: "reference" } }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(Array(3).fill("succeeded"));
    expect(server.turns[1]?.task).toBe("[Previous step result]:\ndid: one\n\n[Current task]:\ntwo");
    expect(server.turns[2]?.system).toContain(
      '- second: "did: [Previous step result]:\\ndid: one\\n\\n[Current task]:\\ntwo"',
    );
    const byId = {
      task: "four",
      dependsOn: results[0]?.runId ?? "",
      includeDependencyResult: true,
    };
    await run(cadre, byId);
    expect(server.turns[3]?.task).toContain("did: one");
  });

  test("may depend on any run of the registry by id, but only on labels of this Cadre", async () => {
    const { server, project, cadre } = await open();
    const { runId } = await run(cadre, { task: "one", label: "first" });
    const other = await project.open();
    const short = runId.split("-")[1] ?? "";
    const result = await run(other, {
      task: "two",
      dependsOn: short,
      includeDependencyResult: true,
    });
    expect(result.status).toBe("succeeded");
    expect(server.turns[1]?.task).toContain("did: one");
    const named = other.spawn({ agent: "worker", task: "three", dependsOn: "first" });
    await expect(named).rejects.toMatchObject({ code: "dependency-not-found" });
    const itself = other.spawn({ agent: "worker", task: "x", label: "me", dependsOn: "me" });
    await expect(itself).rejects.toMatchObject({ code: "dependency-cycle" });
  });

  test("read the whole of a long result with context_get, although it is of another family", async () => {
    const long = "z".repeat(20_000);
    const read: string[] = [];
    const { cadre } = await open(({ task, turn, last }) => {
      if (task === "one") return long;
      if (turn > 0) {
        read.push(...last);
        return "ok";
      }
      const call = /context_get (\{.*?\})/.exec(task)?.[1] ?? "{}";
      return [{ tool: "context_get", input: JSON.parse(call) as Record<string, unknown> }];
    });
    await run(cadre, { task: "one", label: "first" });
    await run(cadre, { task: "two", dependsOn: "first", includeDependencyResult: true });
    expect(read[0]).toContain(long);
  });

  inThisProcess("A resume of runs that workers have does nothing.")(
    "that a dead process left are resumed with their dependency",
    async () => {
      let isStuck = true;
      const { server, project, cadre } = await open(({ task }) =>
        isStuck ? hang : `did: ${task}`,
      );
      const first = await cadre.spawn({ agent: "worker", task: "one", label: "first" });
      const second = await cadre.spawn({
        agent: "worker",
        task: "two",
        label: "second",
        dependsOn: "first",
      });
      const third = await cadre.spawn({ agent: "worker", task: "three", dependsOn: "second" });
      const other = await cadre.spawn({ agent: "worker", task: "other" });
      await server.hung(2);
      await cadre.close({ leaveRuns: true });
      isStuck = false;
      const heir = await project.open();
      const resumed = await heir.resume(first.id);
      expect(resumed.map(({ id }) => id)).toEqual([first.id, second.id, third.id]);
      for (const one of resumed) expect(await one.result()).toMatchObject({ status: "succeeded" });
      expect(await heir.resumable()).toEqual([other.id]);
    },
  );

  inThisProcess("A resume of a run that workers have does nothing.")(
    "that cannot be resumed do not prevent the resume of their dependency",
    async () => {
      const { project, cadre, server } = await open(() => hang, ["own"]);
      const model = "own:mock";
      const first = await cadre.spawn({ agent: "worker", task: "one", label: "first" });
      const second = await cadre.spawn({ agent: "worker", task: "two", dependsOn: "first", model });
      await server.hung(1);
      await cadre.close({ leaveRuns: true });
      const config = { models: { endpoints: { mock: { baseUrl: server.baseUrl } } } };
      writeFileSync(join(project.home, ".cadre", "config.yaml"), JSON.stringify(config));
      const refused: string[] = [];
      const heir = await project.open();
      const onRefused = (rootId: string): void => void refused.push(rootId);
      const resumed = await heir.resume(first.id, { onRefused });
      expect([resumed.map(({ id }) => id), refused]).toEqual([[first.id], [second.id]]);
    },
  );

  test("are refused with all problems of the request", async () => {
    const { cadre } = await open();
    const cycle: Record<string, unknown> = { when: new Date(0) };
    cycle["self"] = cycle;
    const request = {
      agent: "worker",
      task: "x",
      label: " x",
      dependsOn: [3],
      sharedContext: cycle,
      outputSchema: { type: "nonsense" },
      retries: 0.5,
      temperature: 9,
      chainAfter: "y",
    };
    const error: unknown = await cadre.spawn(request as never).catch((thrown: unknown) => thrown);
    const { message } = error as Error;
    for (const part of [
      "label: expected a name on one line",
      "dependsOn",
      "sharedContext: when: a Date, not JSON",
      "sharedContext: self: a cycle",
      "outputSchema: Invalid JSON Schema",
      "retries",
      "temperature",
      "chainAfter: there is no such field",
    ]) {
      expect(message).toContain(part);
    }
    expect(await cadre.runs()).toEqual([]);
  });
});
