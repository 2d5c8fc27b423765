import { onTestFinished } from "vitest";
import type { Project, Started } from "../cli/command-line.ts";
import { start } from "../cli/start-command.ts";
import { createCaller, createServedProject, type ServedFixture } from "./serve-fixture.ts";

/** A project that a process serves. */
export interface ServingProcess extends ServedFixture {
  /** The first output of the server. */
  first: { url: string; token: string; link: string };
  server: Started;
}

/** Starts `cadre serve` as a process that ends with the test. */
export async function serve({
  project = createServedProject(),
  port = 0,
  mode = "ask",
  folders = [],
  options = [],
}: {
  project?: Project;
  port?: number;
  mode?: string;
  folders?: readonly string[];
  /** Other options of the command. */
  options?: readonly string[];
} = {}): Promise<ServingProcess> {
  const words = [
    "serve",
    ...folders,
    "--json",
    "--port",
    String(port),
    "--mode",
    mode,
    "--sandbox",
    "off",
    ...options,
  ];
  const server = start(project, words, null);
  onTestFinished(async () => {
    server.child.kill("SIGKILL");
    await server.ended;
  });
  const first = JSON.parse(await firstLine(server)) as ServingProcess["first"];
  const { url, link } = first;
  return { project, url, link, first, server, call: createCaller(url) };
}

async function firstLine({ child, ended }: Started): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let line = "";
  child.stdout?.on("data", (data: string) => {
    line += data;
    if (line.includes("\n")) resolve(line);
  });
  const failed = ended.then(({ stderr }): never => {
    throw new Error(`The server ended: ${stderr}`);
  });
  return await Promise.race([promise, failed]);
}
