import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { created, finished } from "../../../test/fixtures/run-spec.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import type { Registry } from "../../registry/registry.ts";
import { openRegistry } from "../../registry/sqlite/sqlite-registry.ts";
import { deliverWebhook } from "./deliver-webhook.ts";
import { describeFailures, readWebhookState, webhookWork } from "./webhook-state.ts";

const soon = { timeout: 20_000, interval: 10 };

/** Starts a server that refuses messages while `refuses` says so; records the runs of all that it got. */
async function receive(
  refuses: (runId: string) => boolean,
): Promise<{ url: string; seen: string[]; taken: string[] }> {
  const seen: string[] = [];
  const taken: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { id } = (JSON.parse(body) as { data: { run: { id: string } } }).data.run;
      seen.push(id);
      if (refuses(id)) return response.writeHead(400).end();
      taken.push(id);
      return response.writeHead(204).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen, taken };
}

function deliver(registry: Registry, url: string): { stop: () => Promise<unknown> } {
  const leaving = new AbortController();
  const { signal } = leaving;
  const setting = { url, secretEnv: "S" };
  const fixture = { name: "hook", project: "/p", setting, secret: "s", registry, signal };
  const done = deliverWebhook({ ...fixture, onNote: () => undefined, firstPauseMs: 1 });
  const ended = done.catch((error: unknown) => error);
  return {
    stop: async () => {
      leaving.abort();
      return await ended;
    },
  };
}

async function end(registry: Registry, ...ids: string[]): Promise<void> {
  for (const id of ids) {
    registry.append(id, created(id));
    registry.append(id, finished(id));
  }
  await registry.flushed();
}

test("a message that a server never accepts is retried separately, and delays no later ones", async () => {
  const registry = openRegistry({ path: join(temporaryFolder(), "cadre.db") });
  onTestFinished(() => registry.close());
  let isFixed = false;
  const { url, seen, taken } = await receive((id) => id === "r-2" && !isFixed);
  const first = deliver(registry, url);
  const read = async () => readWebhookState(await registry.leaders.read(webhookWork("/p", "hook")));
  await vi.waitFor(async () => expect(await read()).toBeDefined(), soon);
  await end(registry, "r-1", "r-2", "r-3", "r-4");
  await vi.waitFor(() => expect(taken).toEqual(["r-1", "r-3", "r-4"]), soon);
  // In its order, it is sent four times.
  expect(seen.slice(0, 6)).toEqual(["r-1", "r-2", "r-2", "r-2", "r-2", "r-3"]);
  await vi.waitFor(async () => {
    const state = await read();
    expect(state && describeFailures(state)).toMatchObject({
      repeated: 1,
      failing: {
        webhookId: expect.stringMatching(/^r-2\.\d+$/),
        reason: "the server answered 400",
      },
    });
  }, soon);
  // The next process knows it, and sends it with the next that is taken.
  await first.stop();
  isFixed = true;
  const second = deliver(registry, url);
  await end(registry, "r-5");
  const all = ["r-1", "r-2", "r-3", "r-4", "r-5"];
  await vi.waitFor(() => expect([...new Set(taken)].toSorted()).toEqual(all), soon);
  await vi.waitFor(async () => expect((await read())?.failed).toEqual([]), soon);
  await second.stop();
});
