import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createProject } from "../../../test/fixtures/project.ts";
import type { Cadre } from "../../host.ts";
import { followFamily } from "./follow-family.ts";

/** A run that ends when it is told to, of a program with three steps. */
async function startRun(): Promise<{ cadre: Cadre; id: string; end: () => void }> {
  const told = Promise.withResolvers<void>();
  const run = async (): Promise<string> => {
    await told.promise;
    return "over";
  };
  const cadre = await createProject().open({ agents: [{ name: "late", description: "x", run }] });
  const { id } = await cadre.spawn({ agent: "late", task: "go" });
  return { cadre, id, end: () => told.resolve() };
}

async function typesOf(cadre: Cadre, id: string, past = true): Promise<string[]> {
  const types: string[] = [];
  for await (const { event } of followFamily(cadre, id, { past })) types.push(event.type);
  return types;
}

test("a family is followed to its end when the registry says late where it stands", async () => {
  const { cadre, id, end } = await startRun();
  const ended = cadre.find(id).then(async (run) => await run.result());
  const position = async (): Promise<string> => (await ended, await cadre.position());
  async function* eventsFrom(options: { after?: string; signal?: AbortSignal } = {}) {
    yield* cadre.events({ ...options, after: options.after ?? (await position()) });
  }
  const slow = { ...cadre, position, events: eventsFrom } as unknown as Cadre;
  const types = typesOf(slow, id);
  // The run ends after everything that can be read before has been.
  for (let count = 0; count < 50; count += 1) await turn();
  end();
  expect((await types).at(-1)).toBe("run-finished");
});

test("all events come, also when the run has ended before the first of them is read", async () => {
  const { cadre, id, end } = await startRun();
  async function* eventsOf(options: { after?: string; signal?: AbortSignal } = {}) {
    for await (const event of cadre.events(options)) {
      end();
      await (await cadre.find(id)).result();
      yield event;
    }
  }
  const slow = { ...cadre, events: eventsOf } as unknown as Cadre;
  const types = typesOf(slow, id, false);
  await (await cadre.find(id)).send("be quick");
  expect((await types).at(-1)).toBe("run-finished");
});
