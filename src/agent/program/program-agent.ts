import { CadreError } from "../../errors.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { isRecord, type JsonObject } from "../../source/json.ts";
import { didYouMean } from "../../source/nearest.ts";
import { type AgentDefinition, defaultTimeoutSeconds } from "../definition/agent.ts";
import { fileStem, isAgentName } from "../fields/common-fields.ts";
import type { AgentFileRequest } from "../format/agent-file-format.ts";
import { loadProgram } from "./load-program.ts";
import type { ProgramAgent } from "./program.ts";
import { isRestricting } from "../fields/restriction-keys.ts";

/**
 * Reads a program agent by importing its module. Does not run the code of a file that is untrusted, or that changed while Cadre
 * was open. Such an agent is listed by its file's name, with an error.
 */
export async function readProgram(file: AgentFileRequest): Promise<AgentDefinition> {
  const { path, scope, isTrusted, isLater } = file;
  // The user's own programs are as trusted as the user.
  if (scope !== "user" && !isTrusted(path)) return unusable(file, notTrusted(path));
  if (isLater?.(path) === true) return unusable(file, changedLater(path));
  try {
    return define(file, await loadProgram(path));
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    return unusable(file, problem(path, "program-invalid", String(error.details.reason)));
  }
}

function define(file: AgentFileRequest, agent: ProgramAgent): AgentDefinition {
  const { name, description, maxDepth, agents, inputSchema, outputSchema } = agent;
  const diagnostics = findProblems(file.path, agent);
  return {
    name,
    description,
    systemPrompt: "",
    timeoutSeconds: isWithin(agent.timeoutSeconds, 1, 3600)
      ? (agent.timeoutSeconds ?? defaultTimeoutSeconds)
      : defaultTimeoutSeconds,
    ...(typeof maxDepth === "number" && { maxDepth }),
    ...(agents !== undefined && isTextList(agents) && { agents: [...agents] }),
    ...(isRecord(inputSchema) && { inputSchema: asJson(inputSchema) }),
    ...(isRecord(outputSchema) && { outputSchema: asJson(outputSchema) }),
    source: { format: "program", scope: file.scope, path: file.path },
    diagnostics,
    lines: writtenFields(agent),
  };
}

function findProblems(path: string, agent: ProgramAgent): Diagnostic[] {
  const { name, timeoutSeconds, maxDepth, agents, inputSchema, outputSchema } = agent;
  const found: Diagnostic[] = [];
  const expect = (isRight: boolean, key: string, expected: string): void => {
    if (isRight) return;
    found.push(problem(path, "wrong-type", `Expected \`${key}\` to be ${expected}.`));
  };
  expect(isAgentName(name), "name", "1 to 64 of a-z, 0-9 and single hyphens");
  expect(isWithin(timeoutSeconds, 1, 3600), "timeoutSeconds", "a number from 1 to 3600");
  expect(isWithin(maxDepth, 0, 100), "maxDepth", "a number from 0 to 100");
  expect(agents === undefined || isTextList(agents), "agents", "a list of names");
  expect(inputSchema === undefined || isJson(inputSchema), "inputSchema", "a JSON Schema");
  expect(outputSchema === undefined || isJson(outputSchema), "outputSchema", "a JSON Schema");
  const unknown = Object.keys(agent).filter((key) => !Object.hasOwn(programFields, key));
  return [...found, ...unknown.map((key) => unknownField(path, key))];
}

/** A record, so that the compiler reports a missing field. */
const programFields: Readonly<Record<keyof ProgramAgent, true>> = {
  name: true,
  description: true,
  timeoutSeconds: true,
  maxDepth: true,
  agents: true,
  inputSchema: true,
  outputSchema: true,
  run: true,
};

/** As in other formats, a restriction without effect is an error, any other unknown field a warning. */
function unknownField(path: string, key: string): Diagnostic {
  const known = Object.keys(programFields);
  const message = `\`${key}\` is not a field of a program agent, so it has no effect.${didYouMean(key, known)} Known: ${known.join(", ")}.`;
  const severity = isRestricting(key) ? "error" : "warning";
  return { ...problem(path, "unknown-key", message), severity };
}

function isWithin(value: unknown, min: number, max: number): boolean {
  return value === undefined || (typeof value === "number" && value >= min && value <= max);
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isJson(value: unknown): boolean {
  if (!isRecord(value)) return false;
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

/** Returns a schema as JSON, without values that JSON does not support, because definitions are stored as JSON. */
function asJson(value: Record<string, unknown>): JsonObject {
  return isJson(value) ? (JSON.parse(JSON.stringify(value)) as JsonObject) : {};
}

/** The values of a module have no lines, so all get the first one. */
function writtenFields(agent: ProgramAgent): Record<string, number> {
  const keys = Object.entries(agent).filter(([key, value]) => key !== "run" && value !== undefined);
  return Object.fromEntries(keys.map(([key]) => [key, 1]));
}

function unusable(file: AgentFileRequest, reason: Diagnostic): AgentDefinition {
  return {
    name: fileStem(file.path),
    description: "",
    systemPrompt: "",
    timeoutSeconds: defaultTimeoutSeconds,
    source: { format: "program", scope: file.scope, path: file.path },
    diagnostics: [reason],
    lines: {},
  };
}

function notTrusted(path: string): Diagnostic {
  const message =
    "This agent is a program, and the folder is not trusted, so its code did not run. Its name is taken from the file.";
  const fix = "Read the code, then run `cadre trust` in the project.";
  return { ...problem(path, "not-trusted", message), fix };
}

function changedLater(path: string): Diagnostic {
  const message =
    "This program appeared or changed while Cadre was open, so its code did not run. Its name is taken from the file.";
  const fix = "Read the code, then restart Cadre (for example `cadre mcp`).";
  return { ...problem(path, "program-later", message), fix };
}

function problem(path: string, code: string, message: string): Diagnostic {
  const fix = "Correct the default export: `defineAgent({ name, description, run })`.";
  return { path, line: 1, column: 1, severity: "error", code, message, fix };
}
