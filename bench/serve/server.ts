import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createClient, type ApiClient } from "../../src/client.ts";

/** The token of every measured server. */
export const benchToken = "a-token-for-the-bench";
const main = join(import.meta.dirname, "..", "..", "src", "cli", "main.ts");

/** A `cadre serve` in a separate process. */
export interface Served {
  client: ApiClient;
  url: string;
  child: ChildProcess;
  stop(): Promise<void>;
}

/** Creates a project whose agent `main` starts `runs` sub-agents, each with five turns of a second. */
export function createServedFolder(runs: number): string {
  const folder = mkdtempSync(join(tmpdir(), "cadre-serve-"));
  const calls = Array.from(
    { length: runs },
    () => "{ tool: Agent, input: { type: sub, prompt: go } }",
  );
  const steps = [0, 1, 2, 3].map(
    (turn) =>
      `  - when: { task: go, turn: ${turn} }\n    reply: { delayMs: 1000, calls: [{ tool: Think, input: { thought: "${"x".repeat(200)}" } }] }\n`,
  );
  writeFileSync(
    join(folder, "script.yaml"),
    `scripts:\n${steps.join("")}  - when: { task: go }\n    reply: { text: done, delayMs: 1000 }\n  - when: { turn: 0 }\n    reply:\n      calls:\n${calls.map((call) => `        - ${call}\n`).join("")}  - reply: { text: all done }\n`,
  );
  mkdirSync(join(folder, "home", ".cadre"), { recursive: true });
  mkdirSync(join(folder, ".cadre", "agents"), { recursive: true });
  mkdirSync(join(folder, ".git"));
  writeFileSync(
    join(folder, "home", ".cadre", "config.yaml"),
    "limits: { children: 2000, concurrency: 2000, familyRuns: 5000 }\n",
  );
  writeFileSync(
    join(folder, ".cadre", "agents", "sub.md"),
    "---\nname: sub\ndescription: works\ntools: Think\n---\nYou work.\n",
  );
  return folder;
}

/** Starts a server in a project. `nodeOptions` are passed to Node. */
export async function startServed(
  folder: string,
  nodeOptions: readonly string[] = [],
): Promise<Served> {
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(folder, "home"),
    CADRE_STATE_DIR: join(folder, "state"),
    CADRE_MODEL: "scripted:script.yaml",
    CADRE_SERVE_TOKEN: benchToken,
  };
  const words = [
    ...nodeOptions,
    main,
    "serve",
    "--json",
    "--port",
    "0",
    "--mode",
    "auto",
    "--sandbox",
    "off",
  ];
  const stdio: ["ignore", "pipe", "inherit"] = ["ignore", "pipe", "inherit"];
  const child = spawn(process.execPath, words, { cwd: folder, env: environment, stdio });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return {
    client: createClient({ url, token: benchToken }),
    url,
    child,
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}
