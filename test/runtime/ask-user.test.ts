import { describe, expect, test } from "vitest";
import type { CadreOptions } from "../../src/index.ts";
import type { ElicitRequest } from "../../src/host.ts";
import { agentCall, startModelServer } from "../fixtures/model-server.ts";
import { createModelProject } from "../fixtures/project.ts";

const question = { tool: "AskUser", input: { questions: [{ question: "Which color?" }] } };

async function createFixture(fields: Record<string, unknown> = {}) {
  const server = await startModelServer(({ agent, turn, last }) => {
    if (turn > 0) return last.join();
    return agent === "main" ? [agentCall("asker", "go")] : [question];
  });
  const project = createModelProject(server);
  project.writeAgent("asker", { tools: ["AskUserQuestion"], ...fields });
  const requests: ElicitRequest[] = [];
  const onElicit: CadreOptions["onElicit"] = async (request) => {
    requests.push(request);
    return { action: "accept", content: { answer1: "blue" } };
  };
  return { server, project, requests, onElicit };
}

describe("an agent asks the user", () => {
  test("from any depth, in any mode, and the journal has the answer", async () => {
    const { project, requests, onElicit } = await createFixture();
    const cadre = await project.open({ onElicit, mode: "plan" });
    const { text, runId } = await cadre.run({ agent: "main", task: "go" });
    expect(text).toContain("Which color?\n=> blue");
    expect(requests).toMatchObject([
      { from: "agent", callers: [{ tool: "AskUser", chain: ["main", "asker"] }] },
    ]);
    const [, asker] = await cadre.tree(runId);
    const events = await (await cadre.find(asker?.id ?? "")).journal();
    expect(events).toContainEqual(
      expect.objectContaining({
        key: "tool/1/0",
        value: {
          text: "Which color?\n=> blue",
          output: { answers: [{ question: "Which color?", answer: "blue" }] },
        },
      }),
    );
  });

  test("and is told that there is no user", async () => {
    const { project } = await createFixture();
    const cadre = await project.open();
    const { status, text } = await cadre.run({ agent: "asker", task: "go" });
    expect(status).toBe("succeeded");
    expect(text).toContain("There is no user to ask.");
  });

  test("and the time of its run stands still meanwhile", async () => {
    const { project } = await createFixture({ timeout: 4 });
    const cadre = await project.open({
      onElicit: async () => {
        await new Promise((resolve) => setTimeout(resolve, 4500));
        return { action: "accept", content: { answer1: "late" } };
      },
    });
    const { status, text } = await cadre.run({ agent: "asker", task: "go" });
    expect(text).toContain("=> late");
    expect(status).toBe("succeeded");
  });

  test("again after a process that waited for the answer ended, and never after it was given", async () => {
    const { project, requests, onElicit } = await createFixture();
    const asked = Promise.withResolvers<void>();
    const first = await project.open({
      onElicit: async (_, signal) => {
        asked.resolve();
        return await new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        );
      },
    });
    const { id } = await first.spawn({ agent: "asker", task: "go" });
    await asked.promise;
    await first.close({ leaveRuns: true });
    const second = await project.open({ onElicit });
    const [run] = await second.resume(id);
    expect(await run?.result()).toMatchObject({ text: expect.stringContaining("=> blue") });
    expect(requests).toHaveLength(1);
  });

  test("and its result is not cached, because another user may answer differently", async () => {
    const { project, requests, onElicit } = await createFixture({ cache: true });
    const cadre = await project.open({ onElicit });
    await cadre.run({ agent: "asker", task: "go" });
    await cadre.run({ agent: "asker", task: "go" });
    expect(requests).toHaveLength(2);
  });

  test("unless a rule denies it", async () => {
    const { project, requests, onElicit } = await createFixture();
    project.write(".cadre/config.yaml", "permissions: { deny: [AskUser] }");
    const cadre = await project.open({ onElicit });
    const { text } = await cadre.run({ agent: "asker", task: "go" });
    expect(text).toContain("Permission denied for AskUser");
    expect(requests).toEqual([]);
  });
});
