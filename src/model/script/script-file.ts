import { basename } from "node:path";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { closedObject } from "../../source/closed-object.ts";
import { type Diagnostic, formatDiagnostic } from "../../source/diagnostic.ts";
import { readTextFile } from "../../source/file/text-file.ts";
import { readYaml } from "../../source/yaml/yaml.ts";
import {
  createScript,
  groupsOf,
  type ScriptRule,
  scriptVariables,
  variablesIn,
} from "./script-rule.ts";
import { createScriptedModel } from "./scripted-model.ts";
import { explainIssue } from "../../source/explain-issue.ts";
import { jsonValue } from "../../source/json-value.ts";

const pattern = z.string().refine(isPattern, "is not a regular expression");
const textCondition = z.union([
  z.string(),
  closedObject({
    contains: z.string().optional(),
    equals: z.string().optional(),
    matches: pattern.optional(),
  }),
]);
const count = z.int().min(0);
const rule = closedObject({
  name: z.string().optional(),
  when: closedObject({
    agent: z.string().min(1),
    system: textCondition,
    task: textCondition,
    last: textCondition,
    conversation: textCondition,
    tool: z.string(),
    offered: z.string(),
    turn: count,
  })
    .partial()
    .optional(),
  reply: closedObject({
    text: z.string(),
    reasoning: z.string(),
    calls: z.array(
      closedObject({
        tool: z.string().min(1),
        input: z.record(z.string(), jsonValue).default({}),
      }),
    ),
    delayMs: count.max(3_600_000),
    fault: closedObject({
      kind: z.enum(["status", "drop", "malformed", "hang"]),
      status: z.int().min(300).max(599).optional(),
      retryAfterSeconds: z.number().min(0).optional(),
      times: count.optional(),
    }),
    usage: closedObject({
      inputTokens: count,
      outputTokens: count,
      cacheReadTokens: count,
      cacheWriteTokens: count,
      reasoningTokens: count,
    }).partial(),
    finish: z.enum(["stop", "tool-calls", "length", "content-filter"]),
  }).partial(),
});
const scriptFile = closedObject({ scripts: z.array(rule).min(1) });

/**
 * Creates a model from a script file in YAML or JSON:
 *
 * ```yaml
 * scripts:
 *   - name: read first            # optional; shown in errors
 *     when:                       # all conditions must hold; the first rule that matches replies
 *       agent: code-reviewer      # a word of the instructions
 *       task: { matches: "review (?<file>\\S+)" }   # or a string it contains, or { contains, equals }
 *       turn: 0                   # replies so far
 *     reply:
 *       text: Let me read {{file}}.
 *       calls: [{ tool: Read, input: { file_path: "{{file}}" } }]
 *   - when: { tool: Read, last: { matches: "(?<count>\\d+) lines" } }   # `tool`: the tool of the last result
 *     reply: { text: "It has {{count}} lines: {{last}}", delayMs: 200 }
 *   - reply: { text: Never mind., fault: { kind: status, status: 529, times: 2 } }
 * ```
 *
 * Further conditions: `system`, `last`, `conversation` (texts) and `offered` (a tool the model may call). `{{last}}`,
 * `{{task}}`, `{{turn}}`, `{{tool}}` and the named groups of the rule's patterns are inserted literally. Faults are
 * `status`, `drop`, `malformed` and `hang`; `usage` and `finish` may be set.
 *
 * Throws CadreError `model-unavailable` with the position of every error.
 */
export async function readScriptedModel(file: string): Promise<LanguageModelV4> {
  const { text, diagnostics } = await readTextFile(file);
  if (text === null) throw unusable(file, diagnostics);
  const id = basename(file);
  return createScriptedModel(createScript(readRules(text, file), id), { id });
}

/** Returns the problems of rules from a program, one sentence each. */
export function checkRules(rules: unknown): string[] {
  const parsed = z.array(rule).safeParse(rules, { error: explainIssue });
  if (!parsed.success) {
    return parsed.error.issues.map(
      ({ path, message }) => `${path.join(".") || "script"}: ${message}`,
    );
  }
  const checked = parsed.data as unknown as readonly ScriptRule[];
  return checked.flatMap((item, index) =>
    unknownVariables(item).map((name) => `${index}.reply: ${describeUnknown(name)}`),
  );
}

function describeUnknown(name: string): string {
  return `\`{{${name}}}\` is neither a named group of this rule's patterns nor one of ${scriptVariables.join(", ")}.`;
}

function readRules(text: string, file: string): readonly ScriptRule[] {
  const { value, positionOf, diagnostics } = readYaml(text, file);
  if (diagnostics.length > 0) throw unusable(file, diagnostics);
  const parsed = scriptFile.safeParse(value, { error: explainIssue });
  const finding = (keys: PropertyKey[], message: string): Diagnostic => {
    const position = positionOf(
      ...keys.map((key) => (typeof key === "number" ? key : String(key))),
    );
    return {
      path: file,
      ...position,
      severity: "error",
      code: "script-invalid",
      message,
      fix: null,
    };
  };
  if (!parsed.success) {
    const findings = parsed.error.issues.map((issue) =>
      finding(issue.path, `\`${issue.path.join(".") || "script"}\`: ${issue.message}.`),
    );
    throw unusable(file, findings);
  }
  const rules = parsed.data.scripts as unknown as readonly ScriptRule[];
  const unknown = rules.flatMap((item, index) =>
    unknownVariables(item).map((name) =>
      finding(["scripts", index, "reply"], describeUnknown(name)),
    ),
  );
  if (unknown.length > 0) throw unusable(file, unknown);
  return rules;
}

function unknownVariables({ when = {}, reply }: ScriptRule): string[] {
  const conditions = [when.system, when.task, when.last, when.conversation];
  const known = new Set<string>([...scriptVariables, ...conditions.flatMap(groupsOf)]);
  return variablesIn(reply).filter((name) => !known.has(name));
}

function isPattern(source: string): boolean {
  try {
    groupsOf({ matches: source });
    return true;
  } catch {
    return false;
  }
}

function unusable(file: string, diagnostics: readonly Diagnostic[]): CadreError {
  const lines = diagnostics.map((diagnostic) => `\n${formatDiagnostic(diagnostic)}`).join("");
  return new CadreError("model-unavailable", `The script ${file} cannot be used:${lines}`, {
    details: { kind: "script-invalid", diagnostics },
  });
}
