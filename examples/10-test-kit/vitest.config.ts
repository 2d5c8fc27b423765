import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["*.test.ts"],
    // In your own project: "cadre/testing/vitest".
    setupFiles: ["../../src/testing/vitest.ts"],
  },
});

export default config;
