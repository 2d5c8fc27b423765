import type { RunCase } from "./run-case.ts";
import { mcpServer } from "../fixtures/process/bundled-program.ts";

const server = (name: string, more = ""): string =>
  `  - {type: stdio, name: ${name}, cmd: ${process.execPath}, args: [${mcpServer}], timeout: 60${more}}\n`;
const servers = (...items: string[]): string => `extensions:\n${items.join("")}`;

const child = `version: 1.0.0
title: Child
description: d
prompt: "Do {{ a }} {{ b }}."
parameters:
  - {key: a, input_type: string, requirement: required, description: d}
  - {key: b, input_type: string, requirement: optional, default: x, description: d}
`;
const plain = (what: string): string => `title: P\ndescription: d\nprompt: Do ${what}.\n`;
const files = { "child.yaml": child, "plain.yaml": plain("it"), "bad.yaml": "title: x\n" };
const offer = (...items: string[]): string => `sub_recipes: [${items.join(", ")}]\n`;

const count = "test $(grep -c check log) -ge 2";

/** Cases of goose's treatment of running recipes. */
export const runCases: readonly RunCase[] = [
  { name: "no extensions", recipe: "extensions: []\n", goose: {} },
  {
    name: "a variable of env_keys that is not set",
    recipe: servers(server("there"), server("hub", ", env_keys: [NEVER_SET]")),
    goose: { servers: ["there"] },
  },
  {
    name: "a variable of env_keys that has a value in envs",
    recipe: servers(server("hub", ", envs: {NEVER_SET: x}, env_keys: [NEVER_SET]")),
    goose: { servers: ["hub"] },
  },
  {
    name: "a variable in envs that env_keys does not name",
    recipe: servers(server("hub", ', envs: {KEY: "${NEVER_SET}"}')),
    goose: { servers: ["hub"] },
  },
  {
    name: "a missing command",
    recipe: servers("  - {type: stdio, name: gone, cmd: /nowhere/server, args: []}\n"),
    goose: {},
  },
  {
    name: "a server that ends at once",
    recipe: servers('  - {type: stdio, name: ends, cmd: sh, args: ["-c", "exit 3"]}\n'),
    goose: {},
  },
  {
    name: "an address where nothing listens",
    recipe: servers('  - {type: streamable_http, name: deaf, uri: "http://127.0.0.1:9/mcp"}\n'),
    goose: {},
  },
  {
    name: "an extension that nobody knows",
    recipe: servers("  - {type: builtin, name: unheardof}\n"),
    goose: {},
  },
  {
    name: "a server that cannot be used, with its tools named",
    recipe: `${servers(server("hub", ", env_keys: [NEVER_SET]"))}instructions: Call hub__echo.\n`,
    goose: {},
    cadre: { isSuccess: false, asked: 0 },
    why: "The recipe cannot be done as it is written; goose lets its agent try.",
  },
  {
    name: "available_tools",
    recipe: servers(server("hub", ", available_tools: [process]")),
    goose: { servers: [] },
  },
  {
    name: "a sub-recipe with a value",
    recipe: offer("{name: child, path: ./child.yaml}"),
    files,
    says: [{ subRecipe: "child", parameters: { a: "one", b: "two" } }],
    goose: { asked: 2, children: ["Do one two."], outcome: "result" },
  },
  {
    name: "a sub-recipe with a number for a text",
    recipe: offer("{name: child, path: ./child.yaml}"),
    files,
    says: [{ subRecipe: "child", parameters: { a: 5 } }],
    goose: { asked: 2, children: ["Do 5 x."], outcome: "result" },
  },
  {
    name: "a fixed value against one of the call",
    recipe: offer('{name: child, path: ./child.yaml, values: {a: "fixed"}}'),
    files,
    says: [{ subRecipe: "child", parameters: { a: "given", b: "two" } }],
    goose: { asked: 2, children: ["Do fixed two."], outcome: "result" },
  },
  {
    name: "a sub-recipe without a value that it needs",
    recipe: offer("{name: child, path: ./child.yaml}"),
    files,
    says: [{ subRecipe: "child" }],
    goose: { asked: 2, outcome: "error" },
  },
  {
    name: "a value that a sub-recipe does not take",
    recipe: offer("{name: plain, path: ./plain.yaml}"),
    files,
    says: [{ subRecipe: "plain", parameters: { zz: "1" } }],
    goose: { asked: 2, children: ["Do it."], outcome: "result" },
    cadre: { children: [], outcome: "error" },
    why: "The agent is told, and can correct it.",
  },
  {
    name: "a sub-recipe with errors that is not called",
    recipe: offer("{name: bad, path: ./bad.yaml}", "{name: plain, path: ./plain.yaml}"),
    files,
    says: [{ subRecipe: "plain" }],
    goose: { asked: 2, children: ["Do it."], outcome: "result" },
  },
  {
    name: "a sub-recipe with errors that is called",
    recipe: offer("{name: bad, path: ./bad.yaml}", "{name: plain, path: ./plain.yaml}"),
    files,
    says: [{ subRecipe: "bad" }],
    goose: { asked: 2, outcome: "error" },
  },
  {
    name: "two sub-recipes of one name",
    recipe: offer("{name: one, path: ./plain.yaml}", "{name: one, path: ./other.yaml}"),
    files: { ...files, "other.yaml": plain("the other") },
    says: [{ subRecipe: "one" }],
    goose: { asked: 2, children: ["Do it."], outcome: "result" },
  },
  {
    name: "a sub-recipe that nobody offers",
    recipe: offer("{name: plain, path: ./plain.yaml}"),
    files,
    says: [{ subRecipe: "nobody" }],
    goose: { asked: 2, outcome: "error" },
  },
  {
    name: "a check that never passes",
    recipe:
      'retry: {max_retries: 2, checks: [{type: shell, command: "echo check >> log; false"}], on_failure: "echo tidy >> log"}\n',
    goose: { isSuccess: false, asked: 3, log: ["check", "tidy", "check", "tidy", "check"] },
  },
  {
    name: "a check that passes the second time",
    recipe: `retry: {max_retries: 2, checks: [{type: shell, command: "echo check >> log; ${count}"}]}\n`,
    goose: { asked: 2, log: ["check", "check"] },
  },
  {
    name: "an answer by a schema, after one that does not fit and one that is text",
    recipe:
      "response: {json_schema: {type: object, properties: {ok: {type: boolean}}, required: [ok]}}\n",
    says: ["no answer", { answer: { no: 1 } }, { answer: { ok: true } }],
    goose: { asked: 3, output: { ok: true } },
  },
];
