import { permissionModes, type PermissionMode } from "../run/permission.ts";
import type { JsonObject } from "../source/json.ts";
import { didYouMean } from "../source/nearest.ts";
import type { AgentDefinition } from "./agent.ts";
import {
  type AgentFile,
  createDefinition,
  readBody,
  readDescription,
  readDisabled,
  readFileName,
  readModel,
  sourceOf,
} from "./common-fields.ts";
import { readChoice, readFlag, readList, readNumber, readObject } from "./field-readers.ts";
import type { FieldKeys, Fields } from "./fields.ts";
import { joinPermissions, readPermissions, restrictMode } from "./permission-fields.ts";
import { parseFrontmatter, reportNoFrontmatter } from "./parse-frontmatter.ts";
import { readRetry } from "./retry/read-retry.ts";
import { readRunner } from "./runner.ts";
import { restrictionKeys } from "./restriction-keys.ts";
import { readServers } from "./server-fields.ts";
import { readToolChoice } from "./tool-list.ts";

/** The keys of Cadre's own format: every field of a definition, in both spellings. */
const nativeKeys: FieldKeys = {
  name: ["name"],
  description: ["description"],
  model: ["model"],
  temperature: ["temperature"],
  effort: ["effort"],
  maxTurns: ["maxTurns", "max_turns"],
  timeoutSeconds: ["timeout", "timeoutSeconds", "timeout_seconds"],
  runner: ["runner"],
  ...restrictionKeys,
  disallowedTools: [
    "disallowedTools",
    "disallowed_tools",
    ...(restrictionKeys.disallowedTools ?? []),
  ],
  agents: ["agents"],
  extensions: ["extensions"],
  skills: ["skills"],
  permissionMode: ["permissionMode", "permission_mode"],
  permissions: ["permissions"],
  isolation: ["isolation"],
  background: ["background"],
  maxDepth: ["maxDepth", "max_depth"],
  budget: ["budget"],
  inputSchema: ["inputSchema", "input_schema"],
  outputSchema: ["outputSchema", "output_schema"],
  retry: ["retry"],
  cache: ["cache"],
  disabled: ["disabled"],
};

const budgetKeys: Readonly<Record<string, "tokens" | "usd" | "wallSeconds" | "toolCalls">> = {
  tokens: "tokens",
  usd: "usd",
  wallSeconds: "wallSeconds",
  wall_seconds: "wallSeconds",
  toolCalls: "toolCalls",
  tool_calls: "toolCalls",
};

const modes = Object.fromEntries(
  permissionModes.map((mode): [string, PermissionMode] => [mode, mode]),
);
const efforts = { low: "low", medium: "medium", high: "high" } as const;

/** Reads a definition in Cadre's own format (`.cadre/agents/**.md`). */
export function parseNative(file: AgentFile): AgentDefinition {
  const { frontmatter, fields } = parseFrontmatter(file, nativeKeys);
  const source = sourceOf(file, "cadre");
  if (frontmatter.data === null) {
    reportNoFrontmatter(fields);
    return createDefinition(fields, source, {});
  }
  const choice = readToolChoice(fields);
  return createDefinition(fields, source, {
    name: readFileName(fields),
    description: readDescription(fields, 1024),
    systemPrompt: readBody(frontmatter, fields),
    model: readModel(fields),
    temperature: readNumber(fields, "temperature", { min: 0, max: 2 }),
    effort: readChoice(fields, "effort", efforts),
    maxTurns: readNumber(fields, "maxTurns", { min: 1, max: 10_000, isWhole: true }),
    timeoutSeconds: readNumber(fields, "timeoutSeconds", { min: 1, max: 3600 }),
    runner: readRunner(fields),
    ...choice,
    agents: readList(fields, "agents") ?? choice.agents,
    extensions: readServers(fields),
    skills: readList(fields, "skills"),
    permissionMode: restrictMode(fields, readChoice(fields, "permissionMode", modes)),
    permissions: joinPermissions(choice.permissions, readPermissions(fields)),
    isolation: readChoice(fields, "isolation", { worktree: "worktree" }),
    background: readFlag(fields, "background"),
    maxDepth: readNumber(fields, "maxDepth", { min: 0, max: 100, isWhole: true }),
    budget: readBudget(fields),
    inputSchema: readObject(fields, "inputSchema"),
    outputSchema: readObject(fields, "outputSchema"),
    retry: readRetry(fields),
    cache: readFlag(fields, "cache"),
    disabled: readDisabled(fields),
  });
}

function readBudget(fields: Fields): AgentDefinition["budget"] {
  const written = readObject(fields, "budget");
  if (written === undefined) return undefined;
  const budget: NonNullable<AgentDefinition["budget"]> = {};
  for (const key of Object.keys(written)) readBudgetKey(fields, written, key, budget);
  return budget;
}

function readBudgetKey(
  fields: Fields,
  written: JsonObject,
  key: string,
  budget: NonNullable<AgentDefinition["budget"]>,
): void {
  const name = Object.hasOwn(budgetKeys, key) ? budgetKeys[key] : undefined;
  const value = written[key];
  if (name === undefined) {
    const hint = didYouMean(key, Object.keys(budgetKeys));
    const message = `\`budget.${key}\` is not a limit that is known (tokens, usd, wallSeconds, toolCalls).${hint}`;
    fields.report(["budget", key], {
      severity: "error",
      code: "unknown-key",
      message,
      fix: "Write `tokens`, `usd`, `wall_seconds` or `tool_calls`.",
    });
  } else if (typeof value !== "number" || value < 0) {
    const message = `Expected \`budget.${key}\` to be a number of at least 0; got \`${JSON.stringify(value)}\`.`;
    fields.report(["budget", key], {
      severity: "error",
      code: "wrong-type",
      message,
      fix: `Write \`${key}: 100\`, without a unit.`,
    });
  } else {
    budget[name] = value;
  }
}
