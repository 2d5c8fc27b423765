import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["*.test.ts"],
    // In a project of your own: "cadre/testing/vitest".
    setupFiles: ["../../src/testing/vitest.ts"],
  },
});

export default config;
