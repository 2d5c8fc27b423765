import { expect, test } from "vitest";
import type { CadreOptions } from "../../../src/index.ts";
import { agentCall, startModelServer } from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";

test("an engine given to createCadre starts, awaits and ends the runs of any depth", async () => {
  const server = await startModelServer(({ agent, turn }) =>
    agent === "main" && turn === 0 ? [agentCall("worker", "part")] : `${agent} is done`,
  );
  const project = createModelProject(server);
  project.writeAgent("worker");
  const calls: string[] = [];
  const cadre = await project.open({
    engine: async ({ local, registry }) => ({
      ...local,
      async spawn(request) {
        calls.push(`spawn ${request.agent}`);
        const id = await local.spawn({ ...request, warnings: ["through an engine of my own"] });
        expect(await registry.run(id)).toMatchObject({ agent: request.agent });
        return id;
      },
      async result(runId, signal) {
        calls.push("result");
        return await local.result(runId, signal);
      },
      async close() {
        calls.push("close");
        await local.close();
      },
    }),
  });
  expect(calls).toEqual([]);
  const run = await cadre.spawn({ agent: "main", task: "go" });
  expect(await run.result()).toMatchObject({
    status: "succeeded",
    text: "main is done",
    warnings: ["through an engine of my own"],
    runs: 2,
  });
  expect(calls.toSorted()).toEqual(["result", "result", "spawn main", "spawn worker"]);
  await cadre.close();
  expect(calls.at(-1)).toBe("close");
});

const refusals: [string, unknown, RegExp][] = [
  ["nothing", undefined, /it returned nothing\. Return `\{ \.\.\.local \}`/],
  ["a text", "local", /it returned "local"/],
  ["half an engine", { spawn: () => "r" }, /an object without `reattach`, `result`, `cancel`/],
];

test.each(refusals)("an engine that is %s is refused", async (_, engine, message) => {
  const options = { engine: () => engine } as unknown as CadreOptions;
  const cadre = await createModelProject().open(options);
  const refused = { code: "config-invalid", message: expect.stringMatching(message) };
  await expect(cadre.spawn({ agent: "main", task: "go" })).rejects.toMatchObject(refused);
  await expect(cadre.spawn({ agent: "main", task: "go" })).rejects.toMatchObject(refused);
  expect(await cadre.runs()).toEqual([]);
  await cadre.close();
});

test("an engine that cannot be made says why, and nothing is left running", async () => {
  const cadre = await createModelProject().open({
    engine: () => Promise.reject(new Error("the queue does not answer")),
  });
  await expect(cadre.spawn({ agent: "main", task: "go" })).rejects.toThrow(
    "the queue does not answer",
  );
  await cadre.close();
});
