import { describe, expect, it, onTestFinished } from "vitest";
import { dbos } from "../../../src/dbos.ts";
import { type Cadre, createCadre } from "../../../src/index.ts";
import { postgres } from "../../../src/postgres.ts";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import { createWorkerFixture, startReadyWorker } from "../../fixtures/postgres/worker-fixture.ts";
import type { Project } from "../../cli/command-line.ts";

const script = `scripts: [{ reply: { text: "answer to {{task}}" } }]`;

/** Opens a Cadre as a process that submits runs has it. */
async function openSubmitter({ path: cwd, home, environment }: Project): Promise<Cadre> {
  const { CADRE_REGISTRY_SCHEMA: schema = "" } = environment;
  const registry = postgres({ url: postgresUrl ?? "", schema });
  const opened = await createCadre({ cwd, home, environment, registry, engine: dbos() });
  onTestFinished(async () => await opened.close());
  return opened;
}

describe.skipIf(postgresUrl === undefined)("a conversation on workers", () => {
  it("is continued by one run at a time, whichever processes request it", async () => {
    const project = await createWorkerFixture(script);
    await startReadyWorker(project);
    const submitters = await Promise.all([1, 2, 3].map(async () => await openSubmitter(project)));
    const first = await submitters[0]?.spawn({ agent: "main", task: "hello" });
    await first?.result();
    const all = await Promise.allSettled(
      submitters.map(async (one) => await (await one.find(first?.id ?? "")).continue("more")),
    );
    const [next, ...others] = all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(others).toEqual([]);
    for (const one of all) {
      if (one.status === "rejected") expect(String(one.reason)).toContain("is active");
    }
    await next?.result();
    const last = await next?.continue("and more");
    expect(await last?.result()).toMatchObject({ status: "succeeded" });
  });
});
