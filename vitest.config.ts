import { join } from "node:path";
import { defineConfig, type TestProjectConfiguration, type ViteUserConfig } from "vitest/config";
import { temporaryFolder } from "./test/temporary-folder.ts";

const config: ViteUserConfig = defineConfig({
  test: {
    // What hangs must end some time; how fast something is, is not decided here: machines are slow and busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // Loading the sources anew for each file takes as long as a fifth of the tests.
    isolate: false,
    env: {
      AIMOCK_STRICT_TURN_INDEX: "1",
      // What a test forgets to put elsewhere must not go to the state folder of whoever runs it.
      XDG_STATE_HOME: join(temporaryFolder, "state"),
      TMPDIR: temporaryFolder,
    },
    globalSetup: ["test/temporary-folder.ts"],
    // `npm test` runs the first two; the others have a script each.
    projects: [
      { extends: true, test: { name: "parts", include: ["src/**/*.test.ts"] } },
      ofCommand("whole", ["test/{*,!(attack|durability)/**/*}.test.ts"]),
      ofCommand("attack", ["test/attack/**/*.test.ts"]),
      ofCommand("durability", ["test/durability/**/*.test.ts"]),
    ],
  },
});

/** Tests that start the command as it is built. */
function ofCommand(name: string, include: string[]): TestProjectConfiguration {
  return {
    extends: true,
    test: { name, include, globalSetup: ["test/temporary-folder.ts", "test/bundled-command.ts"] },
  };
}

export default config;
