import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { buildCommand } from "./bundled-command.ts";
import { buildPrograms } from "./bundled-programs.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the server that builds what tests start. */
    builds: string;
    /** The name of the project of vitest, as in `vitest.config.ts`. */
    project: string;
  }
}

/** The name of a build. */
export type BuildName = "command" | "programs";

/** Functions that build what tests start, and return its path. */
const builds: Record<BuildName, () => Promise<string>> = {
  command: buildCommand,
  programs: buildPrograms,
};

const done = new Map<string, Promise<string>>();
let server: Server | undefined;

/**
 * Provides the address of a server to the tests. `GET /NAME` waits for a build and returns its path. The first request for a build
 * starts it, while other workers execute tests; tests of the sources alone need no build.
 */
export async function setup({ provide }: TestProject): Promise<void> {
  server ??= await startServer();
  provide("builds", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

/** Closes the server. */
export function teardown(): void {
  server?.close();
}

async function startServer(): Promise<Server> {
  const created = createServer(({ url }, response) => {
    build(url?.slice(1) as BuildName).then(
      (path) => response.end(path),
      (error: unknown) => response.writeHead(500).end(`The build failed: ${String(error)}`),
    );
  });
  created.listen(0, "127.0.0.1");
  await once(created, "listening");
  return created;
}

async function build(name: BuildName): Promise<string> {
  const building = done.get(name) ?? builds[name]();
  done.set(name, building);
  return await building;
}
