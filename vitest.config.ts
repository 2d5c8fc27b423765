import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // What hangs must end some time; how fast something is, is not decided here: machines are slow and busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    env: { AIMOCK_STRICT_TURN_INDEX: "1" },
  },
});

export default config;
