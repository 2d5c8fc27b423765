import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { cadre, createProject, type Ended, type Project } from "../cli/command-line.ts";
import { isLong } from "../is-long.ts";
import { type Damage, damages } from "./damage.ts";
import { createRandom } from "./random-family/random.ts";

/** Damages the registry once in each way; with `npm run test:durability`, 200 times. */
const seed = Number(process.env["CADRE_SEED"] ?? 20_260_722);
const cases = Array.from({ length: isLong ? 200 : damages.length }, (_, index) => ({
  index,
  seed: seed + index,
  damage: damages[index % damages.length] as Damage,
}));

const script = `scripts:
  - when: { task: many, turn: 0 }
    reply:
      calls:
${Array.from({ length: 20 }, (_, index) => `        - { tool: Agent, input: { type: main, prompt: part ${index} } }`).join("\n")}
  - reply: { text: "${"a result of some length ".repeat(20)}" }
`;

let project: Project;
let healthy: string;

beforeAll(async () => {
  project = createProject({ "script.yaml": script });
  expect((await cadre(project, ["run", "many"])).code).toBe(0);
  healthy = join(project.path, "healthy.db");
  copyFileSync(join(project.path, "state", "cadre.db"), healthy);
});

/** Does the same for a user to whom permissions apply. */
async function inspect(folder: string, words: readonly string[]): Promise<Ended> {
  const environment = { ...project.environment, CADRE_STATE_DIR: folder };
  return await cadre({ ...project, environment }, words);
}

/** Returns the bytes of the file, or the kind of anything else. */
function fingerprint(path: string): string {
  const stats = statSync(path);
  if (!stats.isFile()) return `${stats.mode}`;
  return `${stats.mode} ${readFileSync(path).toString("base64")}`;
}

describe(`a damaged registry (seed ${seed})`, { timeout: 300_000 }, () => {
  test.concurrent.for(cases)(
    "is reported with its cause: $damage.name ($seed)",
    async ({ index, seed: own, damage }, { skip }) => {
      skip(damage.name === "no permission" && process.getuid?.() === 0, "root may read anything");
      const folder = join(project.path, `state-${index}`);
      mkdirSync(folder);
      const path = join(folder, "cadre.db");
      copyFileSync(healthy, path);
      damage.apply(path, createRandom(own));
      const before = fingerprint(path);
      let isReported = false;
      for (const words of [
        ["runs", "--all"],
        ["tree", "last"],
        ["show", "last"],
        ["run", "x"],
      ]) {
        const { code, stderr } = await inspect(folder, words);
        const what = `${words.join(" ")}: ${stderr}`;
        expect([0, 1, 2], what).toContain(code);
        expect(what).not.toMatch(/internal error|\n {4}at |Warning:/);
        if (code === 0) continue;
        isReported = true;
        expect(stderr.match(/^cadre: /gm), what).toHaveLength(1);
        expect(what).toMatch(damage.cause);
        expect(fingerprint(path) === before, `${words[0]} changed the file`).toBe(true);
        break;
      }
      if (damage.isFatal === true) expect(isReported).toBe(true);
      rmSync(folder, { recursive: true });
    },
  );
});
