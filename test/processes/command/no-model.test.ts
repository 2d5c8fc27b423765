import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createProject, follow, node, root } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";
import { sourceCache } from "../../fixtures/compile-cache.ts";

it("a run without a key names the variables, and the demo in a checkout only", async () => {
  const fixture = createProject();
  delete fixture.environment["CADRE_MODEL"];
  const { code, stderr } = await start(fixture, ["run", "a", "b"]).ended;
  expect(stderr).toContain("ANTHROPIC_API_KEY");
  expect(stderr).not.toContain("npm run demo");
  const words = [join(root, "src/cli/main.ts"), "run", "a", "b"];
  const env = { ...fixture.environment, NODE_COMPILE_CACHE: sourceCache };
  const options = { cwd: fixture.path, env };
  const inCheckout = await follow(spawn(node, words, options), "").ended;
  expect(inCheckout.stderr).toContain(
    `\`npm run demo\` in ${root.replace(/\/$/, "")} needs no key.`,
  );
  expect(code).toBe(2);
});
