import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Diagnostic } from "../source/diagnostic.ts";
import { readTextFile } from "../source/file/text-file.ts";
import { isRecord } from "../source/json.ts";
import { didYouMean } from "../source/nearest.ts";
import type { KeyPath } from "../source/position.ts";
import { readYaml } from "../source/yaml/yaml.ts";
import {
  type EvalCase,
  evalCaseSchema,
  type EvalDefaults,
  evalFileSchema,
  type LoadedCase,
} from "./eval-file.ts";
import { explainIssue } from "../source/explain-issue.ts";
import { isWorkspacePath } from "./workspace-path.ts";

/** Parsed eval files. `cases` is complete only when `diagnostics` has no errors. */
export interface EvalReading {
  cases: LoadedCase[];
  diagnostics: Diagnostic[];
}

type Report = (keys: KeyPath, message: string) => void;

/**
 * Reads the eval files at `paths` (absolute). Case names are unique across all files. `agents` are the existing agents; absent =
 * agent names are not checked.
 */
export async function readEvals(
  paths: readonly string[],
  agents?: ReadonlySet<string>,
): Promise<EvalReading> {
  const reading: EvalReading = { cases: [], diagnostics: [] };
  for (const path of paths) await readEvalFile(path, reading, agents);
  return reading;
}

async function readEvalFile(
  path: string,
  { cases, diagnostics }: EvalReading,
  agents: ReadonlySet<string> | undefined,
): Promise<void> {
  const { text, diagnostics: found } = await readTextFile(path);
  const yaml = readYaml(text ?? "", path);
  diagnostics.push(...found, ...(text === null ? [] : yaml.diagnostics));
  if (text === null || yaml.diagnostics.length > 0) return;
  const report: Report = (keys, message) => {
    const position = yaml.positionOf(...keys);
    diagnostics.push({
      path,
      ...position,
      severity: "error",
      code: "eval-invalid",
      message,
      fix: null,
    });
  };
  const { value } = yaml;
  if (!isRecord(value) || !Array.isArray(value["cases"]) || value["cases"].length === 0) {
    return report(
      ["cases"],
      "Expected `cases`: a list of at least one case, each with a name and a task.",
    );
  }
  findProblems(evalFileSchema(), value, [], report);
  const { cases: items, ...defaults } = value;
  for (const [index, item] of items.entries()) {
    const keys = ["cases", index];
    if (!findProblems(evalCaseSchema(), item, keys, report)) continue;
    const one = fill(item as unknown as EvalCase, defaults, path);
    if (cases.some(({ name }) => name === one.name)) {
      report([...keys, "name"], `The name ${one.name} is used twice; each case needs its own.`);
    }
    checkPaths(one, keys, report);
    if (agents !== undefined) checkAgentNames(one, { keys, agents, report });
    cases.push(one);
  }
}

/** Returns `true` if there are no problems. */
function findProblems(
  schema: ReturnType<typeof evalCaseSchema>,
  value: unknown,
  keys: KeyPath,
  report: Report,
): boolean {
  const { error } = schema.safeParse(value, { error: explainIssue });
  for (const issue of error?.issues ?? []) {
    const unknown = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
    const path = issue.path.filter((key) => typeof key !== "symbol");
    const where = path.length === 0 ? "" : `${path.join(".")}: `;
    report([...keys, ...path, ...unknown], `${where}${issue.message.replace(/(?<![.?])$/, ".")}`);
  }
  return error === undefined;
}

function fill(one: EvalCase, defaults: EvalDefaults, path: string): LoadedCase {
  const base = { agent: "main", delegation: "run", repeat: 1, pass: 1 } as const;
  const { workspace } = one;
  return {
    ...base,
    ...defaults,
    ...one,
    path,
    ...(workspace !== undefined && { workspace: resolve(dirname(path), workspace) }),
  };
}

function checkPaths({ files = {}, workspace }: LoadedCase, keys: KeyPath, report: Report): void {
  for (const file of Object.keys(files)) {
    if (isWorkspacePath(file)) continue;
    report([...keys, "files", file], `Expected the path of a file in the workspace; got ${file}.`);
  }
  if (workspace === undefined) return;
  if (statSync(workspace, { throwIfNoEntry: false })?.isDirectory() === true) return;
  report([...keys, "workspace"], `Expected a folder to copy at ${workspace}; there is none.`);
}

function checkAgentNames(
  one: LoadedCase,
  { keys, agents, report }: { keys: KeyPath; agents: ReadonlySet<string>; report: Report },
): void {
  const { expect = {}, forbid = {}, results = {} } = one;
  const check = (name: string, ...path: KeyPath): void => {
    if (agents.has(name)) return;
    const known = [...agents].join(", ");
    report(
      [...keys, ...path],
      `There is no agent ${name}.${didYouMean(name, agents)} Agents: ${known}.`,
    );
  };
  check(one.agent, "agent");
  const expected = expect.agents === "none" ? [] : (expect.agents ?? []);
  for (const [index, entry] of expected.entries()) check(nameOf(entry), "expect", "agents", index);
  for (const [index, entry] of (forbid.agents ?? []).entries())
    check(nameOf(entry), "forbid", "agents", index);
  for (const name of Object.keys(results)) check(name, "results", name);
}

function nameOf(entry: string | { agent: string }): string {
  return typeof entry === "string" ? entry : entry.agent;
}
