import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Registry } from "../../../src/registry/registry.ts";
import type { Cadre } from "../../../src/index.ts";
import type { RunOverview } from "../../../src/host.ts";
import { agentCall, hang, startModelServer } from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";
import { openMemoryRegistry } from "../../fixtures/registry/memory-registry.ts";
import { createMemoryStore, type MemoryStore } from "../../fixtures/registry/memory-store.ts";

/** The number of sub-agents that the main agent delegates to in one reply. */
const fan = 12;

type Leave = (fixture: { cadre: Cadre; registry: Registry; store: MemoryStore }) => Promise<void>;

const leaves: Record<string, Leave> = {
  "that was closed": ({ cadre }) => cadre.close({ leaveRuns: true }),
  "whose lease another process ended": async ({ registry, store }) => {
    store.owners.delete(registry.ownerId);
  },
};

/** Counts the model requests, and hangs after `limit` of the workers have been answered. */
function createScript(limit: () => number): Parameters<typeof startModelServer>[0] {
  let answered = 0;
  return ({ agent, task, turn }) => {
    if (agent === "main" && turn === 0) {
      return Array.from({ length: fan }, (_, index) => agentCall("worker", `part ${index}`));
    }
    if (agent === "main") return "All parts are done.";
    if (turn === 0) return [{ tool: "LS", input: {} }];
    answered += 1;
    return answered > limit() ? hang : `did ${task}`;
  };
}

describe("a registry given to createCadre that answers every call later", () => {
  test.each(Object.keys(leaves))(
    "has the runs of a fan-out, and another process continues those of one %s",
    async (name) => {
      let limit = fan / 2;
      const server = await startModelServer(createScript(() => limit));
      const project = createModelProject(server);
      project.writeAgent("worker", { tools: ["LS"] });
      const store = createMemoryStore();
      const registry = openMemoryRegistry({ store, delayMs: 2 });
      const first = await project.open({ registry, limits: { children: fan, concurrency: fan } });
      const run = await first.spawn({ agent: "main", task: "go" });
      await server.hung(fan / 2);
      await leaves[name]?.({ cadre: first, registry, store });
      limit = Infinity;
      const second = await project.open({ registry: openMemoryRegistry({ store }) });
      expect(await second.resumable()).toEqual([run.id]);
      const received: string[] = [];
      const listening = new AbortController();
      const hearing = collectEnds(second, received, listening.signal);
      const [resumed] = await second.resume();
      expect(await resumed?.result()).toMatchObject({
        status: "succeeded",
        text: "All parts are done.",
        runs: fan + 1,
      });
      const family = await second.tree(run.id);
      expect(family.map(statusOf)).toEqual(Array.from({ length: fan + 1 }, () => "succeeded"));
      for (const { id } of family) {
        const events = await (await second.find(id)).journal();
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
        expect(events.filter(({ type }) => type === "run-finished")).toHaveLength(1);
      }
      await hearing(fan + 1);
      listening.abort();
      expect(new Set(received)).toEqual(new Set(family.map(({ id }) => id)));
      expect(existsSync(join(second.stateFolder, "cadre.db"))).toBe(false);
    },
  );

  test("tells another process what happens, follows positions and takes its requests", async () => {
    const server = await startModelServer(({ turn }) => (turn === 0 ? hang : "unused"));
    const project = createModelProject(server);
    const store = createMemoryStore();
    const one = await project.open({ registry: openMemoryRegistry({ store }) });
    const other = await project.open({ registry: openMemoryRegistry({ store }) });
    const fresh = other.events();
    const next = fresh.next();
    const run = await one.spawn({ agent: "main", task: "go" });
    expect((await next).value?.event).toMatchObject({ type: "run-created", runId: run.id });
    await fresh.return();
    await server.hung(1);
    const seen = await other.find(run.id);
    const types: string[] = [];
    const followed = (async () => {
      for await (const event of seen.events()) types.push(event.type);
    })();
    expect(await seen.cancel("enough")).toBe(true);
    await followed;
    expect(types.slice(0, 2)).toEqual(["run-created", "run-started"]);
    expect(types.slice(-3)).toEqual(["cancel-requested", "request-failed", "run-finished"]);
    expect(await run.result()).toMatchObject({ status: "cancelled" });
    const positions: string[] = [];
    for await (const { event, position } of other.events({ after: "" })) {
      positions.push(position);
      if (event.type === "run-finished") break;
    }
    for await (const { event } of other.events({ after: positions.at(-2) ?? "" })) {
      expect(event.type).toBe("run-finished");
      break;
    }
  });

  test("belongs to one Cadre, which closes it, and must be opened again after a failure", async () => {
    const project = createModelProject(await startModelServer(() => "done"));
    const registry = openMemoryRegistry({ store: createMemoryStore() });
    const cadre = await project.open({ registry });
    await expect(project.open({ registry })).rejects.toMatchObject({ code: "invalid-argument" });
    registry.fail(new Error("The database is gone."));
    await expect(cadre.spawn({ agent: "main", task: "go" })).rejects.toMatchObject({
      code: "registry-unavailable",
      message: expect.stringMatching(/has failed: The database is gone\..*open the registry again/),
    });
    await cadre.close();
    expect(() => registry.putContent({})).toThrow("closed");
  });
});

function statusOf({ status }: RunOverview): string {
  return status;
}

/** Collects the ids of the runs of all processes that end. The returned function waits for `count` of them. */
function collectEnds(
  cadre: Cadre,
  ids: string[],
  signal: AbortSignal,
): (count: number) => Promise<void> {
  const events = cadre.events({ after: "", signal });
  return async (count) => {
    while (ids.length < count) {
      const { value } = await events.next();
      if (value?.event.type === "run-finished") ids.push(value.event.runId);
    }
  };
}
