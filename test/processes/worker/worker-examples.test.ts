import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isInstalled } from "../../fixtures/process/is-installed.ts";
import { parse } from "yaml";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import {
  createWorkerFixture,
  readPrintedWork,
  poll,
} from "../../fixtures/postgres/worker-fixture.ts";
import { temporaryFolder } from "../../fixtures/tool-call.ts";
import { cadre } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";

const docs = readFileSync(join(import.meta.dirname, "../../../docs/workers.md"), "utf8");

function example(language: string): string {
  const text = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(docs)?.[1];
  if (text === undefined) throw new Error(`docs/workers.md has no example in ${language}`);
  return text;
}

interface Service {
  command: string;
  environment: Record<string, string | null>;
  working_dir?: string;
  volumes?: string[];
  stop_grace_period?: string;
  deploy?: { replicas: number };
  depends_on: Record<string, { condition: string }>;
}

const { services, volumes } = parse(example("yaml"), { merge: true }) as {
  services: Record<"database" | "migrate" | "worker", Service>;
  volumes: Record<string, unknown>;
};

/** Returns the words after `cadre`. */
function wordsOf(command: string): string[] {
  expect(command).toMatch(/^cadre /);
  return command.split(" ").slice(1);
}

function seconds(time: string | undefined): number {
  const [, count, unit] = /^(\d+)(s|m)$/.exec(time ?? "") ?? [];
  return Number(count) * (unit === "m" ? 60 : 1);
}

describe("the examples of docs/workers.md", () => {
  it("of docker compose give a worker more time than it drains, and name services and volumes that exist", () => {
    const { migrate, worker } = services;
    const drain = /--drain (\S+)/.exec(worker.command)?.[1];
    expect(seconds(worker.stop_grace_period)).toBeGreaterThan(seconds(drain));
    expect(Object.keys(services)).toEqual(
      expect.arrayContaining([migrate, worker].flatMap((one) => Object.keys(one.depends_on))),
    );
    expect(services.database.volumes?.[0]).toMatch(/^data:/);
    expect(Object.keys(volumes)).toEqual(["data"]);
    expect(worker.volumes).toEqual([`./:${worker.working_dir}`]);
    expect(worker.environment).toEqual(migrate.environment);
  });

  it.skipIf(!isInstalled("systemd-analyze"))("of systemd are a unit without a warning", () => {
    const path = join(temporaryFolder(), "cadre-worker@1.service");
    writeFileSync(path, example("ini"));
    const output = execFileSync("systemd-analyze", ["verify", path], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    expect(output).toBe("");
    const unit = example("ini");
    const drain = /--drain (\S+)/.exec(unit)?.[1];
    expect(Number(/TimeoutStopSec=(\d+)/.exec(unit)?.[1])).toBeGreaterThan(seconds(drain));
  });

  it.skipIf(postgresUrl === undefined)("are commands that work together", async () => {
    const { migrate, worker } = services;
    const project = await createWorkerFixture(`scripts: [{ reply: { text: done } }]`);
    expect((await cadre(project, wordsOf(migrate.command))).code).toBe(0);
    const unit = /ExecStart=\/usr\/bin\/env (.*)/.exec(example("ini"))?.[1] ?? "";
    const commands = [...Array.from({ length: 3 }, () => worker.command), unit];
    expect(worker.deploy?.replicas).toBe(3);
    const workers = commands.map((command) => start(project, wordsOf(command), null));
    onTestFinished(() => workers.forEach(({ child }) => child.kill("SIGKILL")));
    await expect.poll(async () => (await readPrintedWork(project)).workers.length, poll).toBe(4);
    const { stdout } = await cadre(project, ["run", "--detach", "hello"]);
    expect((await cadre(project, ["attach", stdout.trim(), "--json"])).code).toBe(0);
    for (const { child } of workers) child.kill("SIGTERM");
    for (const { ended } of workers) expect((await ended).code).toBe(0);
  });
});
