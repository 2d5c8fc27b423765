import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startPrivateServer } from "../test/fixtures/postgres/private-server.ts";

/** Runs that are resumed after a kill, of programs that use the library. */
const resumes = ["aip", "extensions", "graph", "own-tool", "runner", "stream"].map(
  (name) => `test/processes/resume/${name}-resume`,
);

/**
 * Starts a private PostgreSQL server and executes vitest with the server's address in CADRE_TEST_POSTGRES. The arguments are
 * those of vitest; default: all tests that use a registry. With `--engine=dbos`, workers execute the runs of the tests
 * that open Cadre with `test/fixtures/project.ts`; default: those of `test/runtime` and of families.
 */
const tests = [
  "registry/postgres",
  "src/engine",
  "src/delegate",
  "src/runtime",
  "test/runtime",
  "test/processes/example",
  "test/processes/library",
  ...resumes,
  "test/processes/worktree",
  "test/processes/worker",
  "test/durability",
  "test/cli/db",
  "test/cli/follow-family",
  "test/serve/projects",
  // Expects certain parts of a reply before it is recorded, which depends on the speed of a file.
  "--exclude=test/runtime/stream/streams.test.ts",
];
/**
 * The tests whose runs workers execute: those that start runs through the API. A test that must run in its own process says so
 * (`test/fixtures/postgres/in-this-process.ts`). The registry contract and the tests of `src/engine` and `src/delegate` are about
 * parts that a worker uses unchanged.
 */
const dispatched = [
  "test/runtime",
  ...resumes,
  "test/processes/worktree",
  "test/cli/follow-family",
  "test/durability/sequence",
  "test/durability/workers",
  "test/durability/random-family/worker-families",
  // They are about other registries and engines, a process that only records runs, and models that only one program has.
  "--exclude=test/runtime/{recorded-runs,model-objects}.test.ts",
  "--exclude=test/runtime/port/**",
  // They close the process that executes a run, or stop its clock.
  "--exclude=test/runtime/family/{cancel-detached,cancel-family}.test.ts",
  // They observe the process that executes a run and its arriving replies. test/processes/worker/worker-live reads those in another process.
  "--exclude=test/runtime/stream/{streams,family-stream,observers}.test.ts",
];
const words = process.argv.slice(2);
const isDispatched = words.includes("--engine=dbos");
const given = words.filter((word) => word !== "--engine=dbos");
const vitest = join(import.meta.dirname, "..", "node_modules", "vitest", "vitest.mjs");
const command = [
  vitest,
  "run",
  ...(given.every((word) => word.startsWith("-")) ? (isDispatched ? dispatched : tests) : []),
  ...given,
];
const server = await startPrivateServer();
try {
  const environment = {
    ...process.env,
    CADRE_TEST_POSTGRES: server.url,
    ...(isDispatched && { CADRE_TEST_ENGINE: "dbos" }),
  };
  const child = spawn(process.execPath, command, { env: environment, stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  process.exitCode = code ?? 1;
} finally {
  await server.stop();
}
