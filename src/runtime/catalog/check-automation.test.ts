import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../config/load-config.ts";
import { checkProject } from "./check-project.ts";

const config = `triggers:
  good: { start: { agent: main, task: hi } }
  file: { start: { agent: ./agents/mine.md, task: hi } }
  there: { graph: release.yaml }
  misspelt: { start: { agent: mian, task: hi } }
  gone: { graph: nowhere.yaml }
  model: { start: { agent: main, model: opnai:gpt, task: hi } }
schedules:
  nightly: { cron: "0 3 * * *", trigger: good }
  never: { cron: "61 * * * *", trigger: good }
  lost: { cron: "0 3 * * *", trigger: nobody }
`;

test("a check reports triggers and schedules that cannot start anything, at their lines", async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), "cadre-check-")));
  const cwd = join(home, "project");
  await mkdir(join(cwd, ".cadre"), { recursive: true });
  await writeFile(join(cwd, ".cadre", "config.yaml"), config);
  await writeFile(join(cwd, "release.yaml"), "runs: [{ label: a, task: b }]\n");
  const request = { cwd, home, environment: {}, isTrusted: () => true };
  const configuration = await loadConfig({ ...request, flags: {} });
  const found = await checkProject([], { ...request, configuration });
  expect(found.map(({ line, severity, message }) => `${line} ${severity} ${message}`)).toEqual([
    "5 error `triggers.misspelt` cannot start anything: There is no agent mian. Did you mean `main`?",
    `6 error \`triggers.gone\` cannot start anything: Expected the file of a graph at ${cwd}/nowhere.yaml, but nothing is there.`,
    expect.stringContaining(
      '7 error `triggers.model` cannot start anything: Expected a model as provider:model or an alias, got "opnai:gpt".',
    ),
    expect.stringContaining(
      '10 error `schedules.never` cannot start anything: The pattern "61 * * * *"',
    ),
    '11 error `schedules.lost` cannot start anything: There is no trigger "nobody".',
  ]);
});
