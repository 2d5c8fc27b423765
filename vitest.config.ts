import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 30_000,
    maxWorkers: 2,
    env: { AIMOCK_STRICT_TURN_INDEX: "1" },
  },
});

export default config;
