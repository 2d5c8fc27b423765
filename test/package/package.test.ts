import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { installProject, execute } from "./installed-package.ts";

const root = join(import.meta.dirname, "../..");

/** A program that delegates to a sub-agent, which starts a command. It prints the result of the run. */
const program = `
const cadre = await createCadre({ model: "scripted:script.yaml", mode: "auto", sandbox: "off" });
const run = await cadre.spawn({ agent: "main", task: "delegate" });
const result = await run.result();
console.log(result.status, result.text);
await cadre.close();
`;

const script = `
scripts:
  - when: { turn: 0, task: delegate }
    reply: { calls: [{ tool: Agent, input: { type: main, prompt: count } }] }
  - when: { turn: 0, task: count }
    reply: { calls: [{ tool: Bash, input: { command: expr 6 \\* 7 } }] }
  - when: { last: { matches: "(?<number>42)" } }
    reply: { text: "The number is {{number}}." }
`;

/** A definition with a finding at a known position. */
const definition = `name = "counter"
description = "Counts."
developer_instructions = "Count."
unheard_of = 1
`;

const tarball = inject("tarball");
/** The code under "Options" in docs/library.md. */
const [, documentedOptions = ""] =
  /^## Options\n+```ts\n([^]*?)^```$/m.exec(readFileSync(join(root, "docs/library.md"), "utf8")) ??
  [];

let project: string;
let other: string;
/** A project with vitest. Other projects have none. */
let tests: string;

beforeAll(async () => {
  [project, other, tests] = await Promise.all([
    installProject(tarball.path, "@types/node@24"),
    installProject("bun@1", "deno@2", "typescript@5.9"),
    installProject(tarball.path, "@types/node@24", "vitest@5"),
  ]);
  writeFileSync(join(project, "script.yaml"), script);
  writeFileSync(join(project, "program.mjs"), `import { createCadre } from "cadre";${program}`);
  mkdirSync(join(project, "home"));
  mkdirSync(join(project, ".codex/agents"), { recursive: true });
  writeFileSync(join(project, ".codex/agents/counter.toml"), definition);
}, 300_000);

describe("the package", () => {
  test("is below 2.5 MB, and contains only the build and the docs", () => {
    expect(tarball.size).toBeLessThan(2_500_000);
    const places = new Set(tarball.files.map((file) => file.split("/")[0]));
    const expected = ["LICENSE", "README.md", "dist", "docs", "package.json"];
    expect(places).toEqual(new Set(expected));
    expect(tarball.files.filter((file) => file.includes(".test."))).toEqual([]);
  });

  test("contains the command", async () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(await execute(project, "npx", "cadre", "--version")).toBe(`${version}\n`);
    const words = ["run", "--model", "scripted:script.yaml", "--mode", "auto", "delegate now"];
    expect(await execute(project, "npx", "cadre", ...words)).toContain("The number is 42.");
  });

  test("can be used from ES modules and from CommonJS", async () => {
    const common = `const { createCadre } = require("cadre"); (async () => {${program}})();`;
    writeFileSync(join(project, "program.cjs"), common);
    await execute(project, process.execPath, "--eval", 'import("cadre/types")');
    for (const file of ["program.mjs", "program.cjs"]) {
      expect(await execute(project, process.execPath, file)).toBe("succeeded The number is 42.\n");
    }
  });

  test("says which packages a registry in PostgreSQL and workers need", async () => {
    const url = "postgresql://127.0.0.1:1/none";
    const text = `import { migrateQueue } from "cadre/dbos";
import { createCadre } from "cadre";
import { postgres } from "cadre/postgres";
console.log("queue:", await migrateQueue({ url: "${url}" }));
const cadre = await createCadre({ registry: postgres({ url: "${url}" }) });
console.log(await cadre.runs().catch((error) => error.message));
`;
    writeFileSync(join(project, "optional.mjs"), text);
    const output = await execute(project, process.execPath, "optional.mjs");
    expect(output).toContain("queue: false");
    expect(output).toContain("Install it with `npm install pg`.");
  });

  test("has a test kit, which vitest runs", async () => {
    const files =
      '{ ".cadre/agents/a.md": "---\\nname: a\\ndescription: a\\n---\\nYou are a.\\n" }';
    writeFileSync(
      join(tests, "kit.test.ts"),
      `import { expect, test } from "vitest";
import { createTestCadre } from "cadre/testing";
import "cadre/testing/vitest";
test("the kit works", async () => {
  await using cadre = await createTestCadre({ files: ${files}, script: [{ reply: { text: "Hi." } }] });
  const run = await cadre.spawn({ agent: "a", task: "greet" });
  await expect(run).toHaveSucceeded();
  // @ts-expect-error There is no such code.
  await expect(run).not.toHaveFailedWith("nonsense");
});
`,
    );
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const options = ["--noEmit", "--strict", "--target", "es2024", "--types", "node"];
    const module = ["--module", "nodenext", "--skipLibCheck", "kit.test.ts"];
    const lib = ["--lib", "es2024,esnext.disposable"];
    await execute(tests, process.execPath, compiler, ...options, ...lib, ...module);
    expect(await execute(tests, "npx", "vitest", "run", "--root", ".")).toContain("1 passed");
  });

  test.each([
    ["the TypeScript of this repository", join(root, "node_modules/typescript/bin/tsc")],
    ["TypeScript 5.9", "5.9"],
  ])(
    "has types for strict programs of both kinds, checked by %s",
    async (_title, compiler) => {
      const text = `import { createCadre, type RunResult } from "cadre";
import { createFakeClock, scriptedModel } from "cadre/testing";
await createCadre({ model: scriptedModel([{ reply: { text: "Hi." } }]), clock: createFakeClock() });
// @ts-expect-error There is no such condition.
scriptedModel([{ when: { agnt: "x" }, reply: {} }]);
import * as host from "cadre/host";
import { postgres } from "cadre/postgres";
import { dbos, startWorker } from "cadre/dbos";
const registry = postgres({ url: "postgresql://host/name" });
export const shared = createCadre({ registry, engine: dbos({ label: "gpu" }) });
export const worker = startWorker({ registry, concurrency: 4 });
import { ApiError, createClient } from "cadre/client";
export const answered = createClient({ url: "http://127.0.0.1:7338" }).readRun("last");
export const isUnreachable = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "unreachable";
import type { HookedCall } from "cadre/types";
export const { openRegistry } = host;
export const titleOf = ({ title }: HookedCall): string => title;
const cadre = await createCadre({ model: "anthropic:sonnet" });
const run = await cadre.spawn({ agent: "main", task: "delegate" });
export const result: RunResult = await run.result();
// @ts-expect-error There is no such option.
await createCadre({ toolz: [] });
// @ts-expect-error There is no such mode.
await createCadre({ mode: "yolo" });
`;
      writeFileSync(join(project, "program.mts"), text);
      writeFileSync(join(project, "options.mts"), documentedOptions);
      const common = `import { createCadre } from "cadre";\nvoid createCadre({ model: "anthropic:sonnet" }).then((cadre) => cadre.close());\n`;
      writeFileSync(join(project, "common.cts"), common);
      const tsc = compiler === "5.9" ? join(other, "node_modules/typescript/bin/tsc") : compiler;
      const node = ["--module", "nodenext", "program.mts", "common.cts", "options.mts"];
      const bundler = ["--module", "esnext", "--moduleResolution", "bundler", "program.mts"];
      const options = ["--noEmit", "--strict", "--target", "es2024", "--types", "node"];
      await Promise.all(
        [node, ["--exactOptionalPropertyTypes", ...bundler]].map(async (words) => {
          await execute(project, process.execPath, tsc, ...options, ...words);
        }),
      );
    },
    300_000,
  );
});

describe.each([
  ["Bun", "node_modules/bun/bin/bun.exe", []],
  ["Deno", "node_modules/.bin/deno", ["run", "--allow-all"]],
])("%s", (_name, path, words) => {
  test("runs a program and the command", async () => {
    const binary = join(other, path);
    const output = await execute(project, binary, ...words, "program.mjs");
    expect(output).toBe("succeeded The number is 42.\n");
    const command = join(project, "node_modules/cadre/dist/cli/main.js");
    const options = ["--model", "scripted:script.yaml", "--mode", "auto", "delegate now"];
    const run = await execute(project, binary, ...words, command, "run", ...options);
    expect(run).toContain("is 42.");
    const file = ".codex/agents/counter.toml";
    const checked = await execute(project, binary, ...words, command, "check", file);
    expect(checked).toContain("counter.toml:4:1 warning unknown-key");
  });
});
