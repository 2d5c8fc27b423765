import { describe, expect, test } from "vitest";
import {
  type ServerReply,
  type ServerTurn,
  startModelServer,
} from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";
import { runScripted, spawn } from "../../fixtures/delegation/scripted-family.ts";

const send = (label: string, message: string) => ({
  tool: "sessions_send",
  input: { label, message },
});

describe("a message to a sub-agent that has ended", () => {
  test("lets it continue in the background with all it knows, and its new result is delivered", async () => {
    const { received, family, server } = await runScripted(
      [
        [spawn({ task: "look", label: "w" })],
        [{ tool: "sessions_wait", input: {} }],
        [send("w", "look again")],
        "waiting",
        [send("w", "and again")],
        "waiting",
        "done",
      ],
      ({ last, messages }) => `did ${last.at(-1)} (${messages.length})`,
    );
    expect(received[3]?.[0]).toMatch(/^w \(run \w+\) had ended\. It continues .* as run \S+\.$/);
    expect(received[4]?.[0]).toMatch(
      /\[The background run w .* has ended: succeeded\]\n\ndid look again \(3\)/,
    );
    expect(received[6]?.[0]).toContain("did and again (5)");
    const [boss, ...workers] = family;
    expect(workers).toMatchObject([
      { label: "w", parentId: boss?.id },
      { label: "w", parentId: boss?.id, background: true, continues: workers[0]?.id },
      { label: "w", continues: workers[1]?.id },
    ]);
    expect(server.turns.findLast(({ agent }) => agent === "worker")?.messages).toEqual([
      "user: look",
      "assistant: did look (1)",
      "user: look again",
      "assistant: did look again (3)",
      "user: and again",
    ]);
  });

  test("reaches the latest turn by the id of the first, which a wait and context_get take too", async () => {
    let first = "";
    const read: string[] = [];
    const byId = (tool: string, more: object = {}) => [{ tool, input: { runId: first, ...more } }];
    const { family } = await runScripted(
      [
        [spawn({ task: "look" })],
        ({ last }) => {
          first = (JSON.parse(last[0] ?? "") as { runs: [{ runId: string }] }).runs[0].runId;
          return [{ tool: "sessions_wait", input: { runIds: first } }];
        },
        () => byId("sessions_send", { message: "more" }),
        () => [{ tool: "sessions_wait", input: { runIds: first } }],
        ({ last }) => {
          read.push(...last);
          return byId("sessions_send", { message: "most" });
        },
        "waiting",
        "done",
      ],
      ({ last }) => `did ${last.at(-1)}`,
    );
    expect(read[0]).toContain("did more");
    expect(family.map(({ continues }) => continues)).toEqual([
      undefined,
      undefined,
      first,
      family[2]?.id,
    ]);
  });

  test("is refused with the limits of its family", async () => {
    const { received } = await runScripted(
      [
        [spawn({ task: "look", label: "w" })],
        [{ tool: "sessions_wait", input: {} }],
        [send("w", "again")],
        "over",
      ],
      undefined,
      {},
      { limits: { familyRuns: 2 } },
    );
    expect(received[3]?.[0]).toMatch(/limits\.familyRuns/);
  });
});

describe("the next turn of a conversation with sub-agents", () => {
  async function createConversation(next: (turn: ServerTurn, firstWorker: string) => ServerReply) {
    let worker = "";
    const server = await startModelServer((turn) => {
      const { agent, last, messages } = turn;
      if (agent === "worker") return `did ${last.at(-1)} (${messages.length})`;
      if (last[0] === "one") return [spawn({ task: "look", label: "w" })];
      const found = /"runId":"([^"]+)"/.exec(last[0] ?? "")?.[1];
      if (found !== undefined && worker === "") {
        worker = found;
        return [{ tool: "sessions_wait", input: {} }];
      }
      return next(turn, worker);
    });
    const project = createModelProject(server);
    project.writeAgent("boss");
    project.writeAgent("worker");
    const cadre = await project.open();
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await first.result();
    return { cadre, first, server };
  }

  test("finds the sub-agents of earlier turns: to read, to list and to talk to", async () => {
    const received: string[] = [];
    const { cadre, first, server } = await createConversation(({ last, agent }, worker) => {
      received.push(...last);
      if (agent !== "boss" || last.at(-1) !== "two") return "over";
      return [
        { tool: "context_get", input: { runId: worker } },
        { tool: "sessions_list", input: {} },
        send("w", "more"),
      ];
    });
    const second = await first.continue("two");
    await second.result();
    const all = received.join("\n");
    expect(all).toMatch(/w \(run \w+\) \(succeeded\):\ndid look \(1\)/);
    expect(all).toContain("- w (run");
    expect(all).toContain("had ended. It continues with your message");
    expect(all).toContain("did more (3)");
    const [, continued] = await cadre.tree(second.id);
    expect(continued).toMatchObject({ agent: "worker", conversation: first.id });
    expect(server.turns.some(({ messages }) => messages.includes("user: more"))).toBe(true);
    expect(await cadre.conversations()).toMatchObject([{ id: first.id, runs: 4, turns: 2 }]);
    expect(await cadre.deleteConversation(first.id)).toMatchObject({ runs: 4 });
  });

  test("does not reach the runs of other conversations", async () => {
    const received: string[] = [];
    const { cadre } = await createConversation(({ last }) => {
      received.push(...last);
      return last.at(-1) === "steal" ? [send("w", "more")] : "over";
    });
    await cadre.run({ agent: "boss", task: "steal" });
    expect(received.join("\n")).toContain('no run with the id or the label "w"');
  });
});

describe("the delegate tools outside of runs", () => {
  test("send a message to an ended run, which continues, and wait for its result by the same id", async () => {
    const server = await startModelServer(
      ({ last, messages }) => `did ${last.at(-1)} (${messages.length})`,
    );
    const project = createModelProject(server);
    project.writeAgent("worker");
    const cadre = await project.open();
    const tools = await cadre.tools();
    const started = await tools.agent.call({ type: "worker", prompt: "look" });
    const { runId } = tools.agent.resultSchema.parse(started.data) as { runId: string };
    const sent = await tools.sessions_send.call({ runId, message: "again" });
    const { continuedAs } = tools.sessions_send.resultSchema.parse(sent.data) as {
      continuedAs: string;
    };
    const waited = await tools.sessions_wait.call({ runIds: runId, mode: "all" });
    expect(waited.text).toContain("did again (3)");
    expect(await (await cadre.find(continuedAs)).state()).toMatchObject({ continues: runId });
    const more = await tools.sessions_send.call({ runId, message: "more" });
    expect(more.text).toContain("continues with your message in the background");
    expect((await tools.sessions_wait.call({ mode: "all" })).text).toContain("did more (5)");
  });
});
