import { z } from "zod";
import { type AgentDefinition, defaultTimeoutSeconds } from "../../agent/definition/agent.ts";
import { type AgentFile, fileStem } from "../../agent/fields/common-fields.ts";
import type { ReadFormat, UnplacedFile } from "../../agent/format/agent-file-format.ts";
import type { CustomAgent, CustomAgentFormat } from "../../agent/format/custom-format.ts";
import { messageOf } from "../../engine/run-failed.ts";
import { closedObject } from "../../source/closed-object.ts";
import { type Diagnostic, hasError } from "../../source/diagnostic.ts";
import { isRecord } from "../../source/json.ts";
import { count, field, listField, listIssues, nonEmptyText, oneOf, showValue } from "./field.ts";
import { createLibraryAgentSchema } from "./library-agent-schema.ts";

/** Returns a format that never throws and that reads only complete definitions, whatever the functions of `custom` do. */
export function guardFormat(custom: CustomAgentFormat): ReadFormat {
  const { name, folders, extensions, ignores, recognizes } = custom;
  return {
    name,
    folders,
    extensions,
    ...(ignores !== undefined && {
      ignores: guardTest((file: string) => ignores.call(custom, file), `${name}.ignores`),
    }),
    ...(recognizes !== undefined && {
      recognizes: guardTest(
        (file: UnplacedFile) => recognizes.call(custom, file),
        `${name}.recognizes`,
      ),
    }),
    parse(file) {
      let agent: unknown;
      try {
        agent = custom.parse(file);
      } catch (error) {
        return readBroken({
          file,
          format: name,
          problem: `failed on this file: ${messageOf(error)}`,
        });
      }
      return agent === null ? null : readAgent(agent, file, name);
    },
  };
}

function guardTest<Value>(
  test: (value: Value) => boolean,
  name: string,
): (value: Value) => boolean {
  return (value) => {
    try {
      return test(value);
    } catch (error) {
      process.emitWarning(`The function ${name} of a format threw: ${messageOf(error)}`);
      return false;
    }
  };
}

function readAgent(agent: unknown, file: AgentFile, format: string): AgentDefinition {
  // An asynchronous parser may reject, which would be unhandled.
  if (agent instanceof Promise) agent.catch(() => undefined);
  const { ownTools = [] } = file;
  if (isAgent(agent, ownTools)) {
    const source = { format, scope: file.scope, path: file.path };
    return { timeoutSeconds: defaultTimeoutSeconds, lines: {}, diagnostics: [], ...agent, source };
  }
  return readBroken({
    file,
    format,
    problem: `read no valid agent:${findProblems(agent, ownTools)}`,
    agent,
  });
}

const finding = closedObject({
  path: nonEmptyText,
  line: count(1),
  column: count(1),
  severity: oneOf(["error", "warning", "info"]),
  code: nonEmptyText,
  message: nonEmptyText,
  fix: field("text or null", (value) => value === null || typeof value === "string"),
});
const findings = listField(finding, "diagnostics");

/** The parts of a definition besides the fields of an agent given in code. */
const notes = closedObject({
  diagnostics: findings.optional(),
  lines: z.record(z.string(), count(1)).optional(),
  extra: field("an object", isRecord).optional(),
});

/** Lists the problems of a parser's result, one a line; empty = none. The agent may name `ownTools`. */
function findProblems(agent: unknown, ownTools: readonly string[]): string {
  if (agent instanceof Promise) return "\n- expected an agent or null, got a promise";
  if (!isRecord(agent)) return `\n- expected an agent or null, got ${showValue(agent)}`;
  const { diagnostics, lines, extra, ...fields } = agent;
  if ("run" in fields) return "\n- run: a format reads prompts; give a program in `agents`";
  const results = [
    notes.safeParse({ diagnostics, lines, extra }),
    createLibraryAgentSchema(ownTools).safeParse(fields),
  ];
  return results.map(({ error }) => (error === undefined ? "" : listIssues(error))).join("");
}

function isAgent(agent: unknown, ownTools: readonly string[]): agent is CustomAgent {
  return findProblems(agent, ownTools) === "";
}

function isFindings(value: unknown): value is readonly Diagnostic[] {
  return findings.safeParse(value).success;
}

/** Returns the definition of a file with errors. Errors that the parser reported take precedence over their consequences. */
function readBroken({ file, format, problem, agent }: BrokenFile): AgentDefinition {
  const { path, scope } = file;
  const given = isRecord(agent) ? agent : {};
  const reported = isFindings(given["diagnostics"]) ? given["diagnostics"] : [];
  const failure: Diagnostic = {
    path,
    line: 1,
    column: 1,
    severity: "error",
    code: "format-failed",
    message: `The format ${format} ${problem}`,
    fix: `Correct the file, or \`parse\` of the format ${format} given to createCadre.`,
  };
  const { name } = given;
  return {
    name: typeof name === "string" && name !== "" ? name : fileStem(path),
    description: "",
    systemPrompt: "",
    timeoutSeconds: defaultTimeoutSeconds,
    source: { format, scope, path },
    diagnostics: hasError(reported) ? reported : [...reported, failure],
    lines: {},
  };
}

/** A file that a format could not read. */
interface BrokenFile {
  file: AgentFile;
  format: string;
  /** The end of a sentence that begins with the format. */
  problem: string;
  /** What the parser returned. */
  agent?: unknown;
}
