import { expect, test } from "vitest";
import type { RunResult } from "../../../src/index.ts";
import { mcpServer } from "../../fixtures/process/bundled-program.ts";
import {
  inRecipes,
  type RunCallsOptions,
  runCalls,
} from "../../fixtures/delegation/subagent-calls.ts";
import { inThisProcess } from "../../fixtures/postgres/in-this-process.ts";
import { omitUndefined } from "../../../src/omit-undefined.ts";

const recipe = (more: object): string =>
  JSON.stringify({ version: "1.0.0", title: "Tidy", description: "Tidies", ...more });
const server = (name: string, more: object = {}): object => ({
  type: "stdio",
  name,
  cmd: process.execPath,
  args: [mcpServer],
  ...more,
});
const asRoot = (more: object, others?: RunCallsOptions["others"]): RunCallsOptions => ({
  agent: "tidy",
  task: "Tidy up.",
  options: { trust: true },
  files: { [inRecipes("tidy.yaml")]: recipe({ prompt: "Tidy up.", ...more }) },
  ...omitUndefined({ others }),
});
const runOf = async (more: object): Promise<RunResult> => (await runCalls([], asRoot(more))).result;

test("servers of a recipe that names none of their tools are left out, each with a warning", async () => {
  const { result, server: model } = await runCalls(
    [],
    asRoot({
      instructions: "The hub has what you need, see my_hub__init for more.",
      extensions: [
        server("there", { envs: { KEY: "${KEY}" }, env_keys: ["KEY"] }),
        server("hub", { env_keys: ["NEVER_SET"] }),
        server("gone", { cmd: "/nowhere/server" }),
        { type: "streamable_http", name: "deaf", uri: "http://127.0.0.1:9/mcp" },
      ],
    }),
  );
  expect(result).toMatchObject({ status: "succeeded", text: "over" });
  expect(model.turns[0]?.tools).toContain("mcp__there__echo");
  const left = (name: string): RegExp =>
    new RegExp(`^The MCP server ${name} .*cannot be used: .*The run continued without it\\.$`, "s");
  expect(result.warnings).toEqual([
    expect.stringMatching(left("hub")),
    expect.stringMatching(left("gone")),
    expect.stringMatching(left("deaf")),
  ]);
  expect(result.warnings[0]).toContain(
    "it needs a variable that is not set: NEVER_SET. Set it in the environment of Cadre, or remove it from its env_keys.",
  );
});

inThisProcess("A worker refuses the run, and `cadre workers` says why.").each([
  ["in available_tools", { available_tools: ["get"] }, {}],
  ["in its prompt", {}, { prompt: "Tidy up. Use hub__get_issue for it." }],
  ["in its instructions", {}, { instructions: "Call `mcp__Hub__get`." }],
])("a server whose tool a recipe names %s fails the run", async (_, more, fields) => {
  const extensions = [server("Hub", { env_keys: ["NEVER_SET"], ...more })];
  expect(await runOf({ extensions, ...fields })).toMatchObject({
    status: "failed",
    failure: {
      code: "tool-unavailable",
      message: expect.stringContaining("not set: NEVER_SET. Set it in the environment of Cadre"),
    },
  });
});
