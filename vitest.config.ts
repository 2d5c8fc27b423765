import { join } from "node:path";
import { defineConfig, type TestProjectConfiguration, type ViteUserConfig } from "vitest/config";
import { temporaryRoot } from "./test/temporary-folder.ts";

const config: ViteUserConfig = defineConfig({
  test: {
    // What hangs must end some time; how fast something is, is not decided here: machines are slow and busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A machine of the CI may stand still for seconds. The report shows what passed only when it was tried again.
    retry: process.env["CI"] === undefined ? 0 : 1,
    // Tests often wait for a process, a server or a timer: one worker more than the machine of the CI has cores.
    maxWorkers: 3,
    // Loading the sources anew for each file takes as long as a fifth of the tests.
    isolate: false,
    // Node strips the types itself, as it does for users' agents; transforming the sources takes a twentieth of the CPU time.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    env: {
      AIMOCK_STRICT_TURN_INDEX: "1",
      // What a test forgets to put elsewhere must not go to the state folder of whoever runs it.
      XDG_STATE_HOME: join(temporaryRoot, "state"),
      TMPDIR: temporaryRoot,
    },
    globalSetup: ["test/temporary-folder.ts", "test/build-server.ts"],
    setupFiles: ["test/end-file.ts"],
    // `npm test` runs the first; the others have a script each (`docs/decisions/0151-tests-of-processes-stand-apart.md`).
    projects: [
      project("parts", [
        "{src,page,bench}/**/*.test.ts",
        "test/{*,!(attack|browser|durability|package|processes)/**/*}.test.ts",
      ]),
      project("processes", ["test/processes/**/*.test.ts"]),
      project("attack", ["test/attack/**/*.test.ts"]),
      project("browser", ["test/browser/**/*.test.ts"]),
      project("durability", ["test/durability/**/*.test.ts"]),
      project("package", ["test/package/**/*.test.ts"], {
        // Vitest uses this list in place of the one above.
        globalSetup: ["test/temporary-folder.ts", "test/build-server.ts", "test/package/packed.ts"],
      }),
    ],
  },
});

function project(
  name: string,
  include: string[],
  more: { globalSetup?: string[] } = {},
): TestProjectConfiguration {
  return { extends: true, test: { name, include, provide: { project: name }, ...more } };
}

export default config;
