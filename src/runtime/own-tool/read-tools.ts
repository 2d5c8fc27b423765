import { CadreError } from "../../errors.ts";
import { messageOf } from "../../engine/run-failed.ts";
import { toolNames } from "../../run/tool-names.ts";
import { closedObject } from "../../source/closed-object.ts";
import { callback, field, nonEmptyText, number, oneOf, showValue } from "../option/field.ts";
import { listGivenTools } from "./list-given-tools.ts";
import type { OwnTool } from "../own-tool.ts";
import { readInput, type ToolInput } from "./read-input.ts";
import type { UnreadTool } from "./sdk-tool.ts";

/** A program's tool after every check, with its schema converted once. */
export interface ReadTool
  extends
    Required<Pick<OwnTool, "name" | "description" | "access" | "timeoutSeconds" | "execute">>,
    Omit<UnreadTool, "fields">,
    ToolInput {}

const defaultTimeoutSeconds = 300;
const maxSeconds = 24 * 60 * 60;

/** The names, in lower case, that have another meaning in lists of tools. */
const reserved: ReadonlySet<string> = new Set([
  ...toolNames.map((name) => name.toLowerCase()),
  "final_output",
  "task",
  "all",
  "none",
  "inherit",
]);

const toolSchema = closedObject({
  name: field(
    "1 to 64 letters, digits, `_` and `-`, beginning with a letter",
    (value) => typeof value === "string" && /^[A-Za-z][\w-]{0,63}$/.test(value),
  ),
  description: nonEmptyText,
  input: field("a schema", () => true).optional(),
  access: oneOf(["none", "read", "edit", "execute", "network"]).optional(),
  timeoutSeconds: number(
    "a number of seconds of more than 0, at most a day",
    Number.MIN_VALUE,
    maxSeconds,
  ).optional(),
  execute: callback,
});

/**
 * Reads a program's tools: a set of tools by name, or a list of tools and sets. `others` are the names of the tools given before.
 *
 * @throws CadreError `config-invalid` that lists every problem.
 */
export async function readTools(given: unknown, others: readonly string[]): Promise<ReadTool[]> {
  const problems: string[] = [];
  const tools: ReadTool[] = [];
  const names = new Set(others.map((name) => name.toLowerCase()));
  for (const listed of listGivenTools(given)) {
    const read = "problem" in listed ? listed : await readTool(listed);
    if ("problem" in read) problems.push(read.problem);
    else if (names.has(read.name.toLowerCase())) {
      problems.push(`${read.name}: another tool has this name; each needs its own`);
    } else {
      names.add(read.name.toLowerCase());
      tools.push(read);
    }
  }
  if (problems.length === 0) return tools;
  const lines = problems.map((problem) => `\n- ${problem}`).join("");
  throw new CadreError("config-invalid", `The tools given to Cadre are not valid:${lines}`);
}

/** Checks one tool and converts its schema. */
async function readTool(unread: UnreadTool): Promise<ReadTool | { problem: string }> {
  const { fields, ...others } = unread;
  const problem = findProblem(fields);
  if (problem !== undefined) {
    const { name } = fields;
    return { problem: `${typeof name === "string" ? name : "a tool"}: ${problem}` };
  }
  // The fields have been checked.
  const tool = fields as unknown as OwnTool;
  const { name, description, access = "execute", timeoutSeconds = defaultTimeoutSeconds } = tool;
  const execute = tool.execute.bind(tool);
  try {
    const input = await readInput(tool.input);
    return { name, description, access, timeoutSeconds, execute, ...others, ...input };
  } catch (error) {
    return {
      problem: `${name}: its input cannot be expressed as JSON Schema: ${messageOf(error)}`,
    };
  }
}

function findProblem(fields: Record<string, unknown>): string | undefined {
  const { name, execute } = fields;
  if (execute === undefined) {
    return "it has no `execute`. Cadre runs a tool only by its code, so tools that a provider or a client executes cannot be given";
  }
  const { error } = toolSchema.safeParse(fields);
  if (error !== undefined) {
    return error.issues.map(({ path, message }) => [...path, message].join(": ")).join("; ");
  }
  const plain = String(name).toLowerCase();
  if (!reserved.has(plain) && !plain.startsWith("mcp_")) return undefined;
  return `the name ${showValue(name)} belongs to Cadre, as does every name that begins with \`mcp_\`; choose another`;
}
