import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dbos } from "../../../src/dbos.ts";
import { createCadre, type RunHandle } from "../../../src/index.ts";
import { postgres } from "../../../src/postgres.ts";
import type { Project } from "../../cli/command-line.ts";
import { isLong } from "../../is-long.ts";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import { createWorkerFixture, readPrintedWork } from "../../fixtures/postgres/worker-fixture.ts";
import { disturbWorkers } from "./disturbed-workers.ts";
import type { ProjectJournals } from "../killed-project.ts";
import { expectFinished } from "./family-invariants.ts";
import { planFamily } from "./plan-family.ts";
import { createRandom } from "./random.ts";

/** The long version disturbs workers more often. */
const [maxKills, maxStops] = isLong ? [1000, 100] : [12, 2];
/** The number of simultaneous families. */
const lanes = 8;
const firstSeed = Number(process.env["CADRE_FAMILY_SEED"] ?? 1);

/** Reads the whole stream of a family and checks that it contains the end of each run once. */
async function watch(run: RunHandle): Promise<void> {
  const created: string[] = [run.id];
  const ended: string[] = [];
  for await (const part of run.stream({ descendants: true })) {
    if (part.type === "run-created" && part.runId !== run.id) created.push(part.runId);
    if (part.type === "run-finished") ended.push(part.runId);
  }
  expect(ended.toSorted()).toEqual(created.toSorted());
}

/** Lets workers execute the family of `seed` in its own folder, and checks it. */
async function executeFamily(project: Project, seed: number): Promise<void> {
  const plan = planFamily(seed);
  const folder = `family-${seed}`;
  project.write(`${folder}/.git/HEAD`, "");
  for (const [path, text] of Object.entries(plan.files)) project.write(`${folder}/${path}`, text);
  const cwd = join(project.path, folder);
  const { CADRE_REGISTRY_SCHEMA: schema = "" } = project.environment;
  const cadre = await createCadre({
    cwd,
    home: project.home,
    environment: project.environment,
    registry: postgres({ url: postgresUrl ?? "", schema }),
    engine: dbos(),
    mode: "auto",
    trust: true,
    model: "scripted:script.json",
  });
  try {
    const run =
      "graph.yaml" in plan.files
        ? await cadre.spawnGraph("graph.yaml")
        : await cadre.spawn({ agent: "conduct" });
    // Half of the families are watched, so that their workers send arriving replies.
    const watched = seed % 2 === 0 ? watch(run) : undefined;
    await run.result();
    await watched;
    // The family ends with the runs that outlive the root.
    await expect
      .poll(async () => (await cadre.tree(run.id)).filter(({ result }) => result === null), {
        // On a machine under load, with workers that are killed all the time, this takes minutes.
        timeout: 1_200_000,
      })
      .toEqual([]);
    const journal: ProjectJournals = await Promise.all(
      (await cadre.tree(run.id)).map(async (one) => ({
        run: one,
        events: await (await cadre.find(one.id)).journal(),
      })),
    );
    const effects = await readFile(join(cwd, "effects.log"), "utf8").catch(() => "");
    expectFinished(plan, journal, effects.split("\n").filter(Boolean));
  } catch (error) {
    throw new Error(`The family of seed ${seed} (CADRE_FAMILY_SEED=${seed}).`, { cause: error });
  } finally {
    await cadre.close();
  }
}

describe.skipIf(postgresUrl === undefined)("random families on workers", () => {
  test(
    `repeat nothing and lose nothing, however often workers are killed or stand still (from seed ${firstSeed})`,
    { timeout: 3_600_000 },
    async () => {
      const project = await createWorkerFixture("");
      const config = { limits: { familyRuns: 1000, children: 1000 } };
      await mkdir(join(project.home, ".cadre"), { recursive: true });
      await writeFile(join(project.home, ".cadre", "config.yaml"), JSON.stringify(config));
      const workers = await disturbWorkers(project, createRandom(firstSeed), {
        killed: 3,
        stopped: isLong ? 3 : 1,
        maxKills,
        maxStops,
      });
      let seed = firstSeed;
      const lane = async (): Promise<void> => {
        while (workers.kills < maxKills || workers.stops < maxStops) {
          const mine = seed;
          seed += 1;
          await executeFamily(project, mine);
          if (mine % 25 === 0)
            console.info(`seed ${mine}: ${workers.kills} kills, ${workers.stops} stops`);
        }
      };
      await Promise.race([Promise.all(Array.from({ length: lanes }, lane)), workers.failed]);
      await workers.rest();
      const { kills, stops } = workers;
      console.info(`${kills} kills and ${stops} stops: seeds ${firstSeed} to ${seed - 1}.`);
      await expect
        .poll(async () => (await readPrintedWork(project)).waiting, { timeout: 30_000 })
        .toEqual([]);
    },
  );
});
