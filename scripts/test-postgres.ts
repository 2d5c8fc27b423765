import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startPrivateServer } from "../test/fixtures/postgres/private-server.ts";

/**
 * Starts a private server of PostgreSQL and executes vitest, with the server's address in CADRE_TEST_POSTGRES. The arguments are
 * those of vitest; default: all tests of which the registry is a part.
 */
const tests = [
  "registry/postgres",
  "src/engine",
  "src/delegate",
  "src/runtime",
  "test/runtime",
  "test/durability",
  "test/cli/db",
  "test/cli/worker",
  "test/serve/projects",
  // Expects which parts of a reply arrive before it is recorded, which depends on the speed of a file.
  "--exclude=test/runtime/streams.test.ts",
];
const given = process.argv.slice(2);
const vitest = join(import.meta.dirname, "..", "node_modules", "vitest", "vitest.mjs");
const command = [
  vitest,
  "run",
  ...(given.every((word) => word.startsWith("-")) ? tests : []),
  ...given,
];
const server = await startPrivateServer();
try {
  const environment = { ...process.env, CADRE_TEST_POSTGRES: server.url };
  const child = spawn(process.execPath, command, { env: environment, stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  process.exitCode = code ?? 1;
} finally {
  await server.stop();
}
