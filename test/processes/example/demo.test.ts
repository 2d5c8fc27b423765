import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { follow, root } from "../../cli/command-line.ts";
import { sourceCache } from "../../fixtures/compile-cache.ts";
import { temporaryFolder } from "../../fixtures/tool-call.ts";

describe("the demo", () => {
  test("works without a key, shows the tree, and writes the result from real tool output", async () => {
    const output = join(root, "demo-output", "tour.md");
    const { PATH } = process.env;
    const child = spawn(process.execPath, [join(root, "examples", "01-delegate", "demo.ts")], {
      cwd: root,
      env: { PATH, HOME: temporaryFolder(), NODE_COMPILE_CACHE: sourceCache },
    });
    const { stdout, stderr, code } = await follow(child, "").ended;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("SCRIPTED");
    expect(stderr).toContain("ANTHROPIC_API_KEY=");
    expect(stdout).toMatch(
      /✓ main[\s\S]*test-inspector[\s\S]*│ +└─ ✓ counter[\s\S]*✗ historian \(.*timed-out/,
    );
    const tour = readFileSync(output, "utf8");
    expect(tour).toContain("src/registry/");
    expect(tour).toMatch(/engine\/\n/);
    expect(tour).toContain("The result of a run, successful or not");
  });

  test("prints the tree that the README shows", async () => {
    const check = [join(root, "scripts", "draw-demo.ts"), "--check"];
    const { stderr, code } = await follow(spawn(process.execPath, check, { cwd: root }), "").ended;
    expect(code, stderr).toBe(0);
  });
});
