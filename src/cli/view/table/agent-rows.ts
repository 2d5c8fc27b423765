import { homedir } from "node:os";
import { isAbsolute, relative } from "node:path";
import { cleanLine } from "../../terminal/clean-text.ts";
import { styleOf } from "../agent-style.ts";
import { type Paint, unpainted } from "../../terminal/paint.ts";
import { formatTable } from "./table.ts";
import { cutText, wrapWords } from "../../terminal/text-width.ts";
import type { AgentDefinition, AgentFieldRow, Discovery } from "../../../host.ts";

/** The maximum widths of cells, which leave room for the agent's description. */
const widest = { name: 32, model: 24, tools: 24 } as const;

const titles = ["NAME", "FORMAT", "SCOPE", "MODEL", "TOOLS", "FROM"];

/** The width below which a description has its own line, in columns. */
export const oneLine = 120;

/** Formats the list of all agents, unusable ones last, in lines of at most `columns` columns. */
export function formatAgents(
  { agents, all }: Discovery,
  columns: number,
  nameRunner: (runner: string) => string,
  paint: Paint = unpainted,
): string[] {
  const usable = new Set(agents);
  const others = all.filter((agent) => !usable.has(agent));
  const isNarrow = columns < oneLine;
  const listed = [...agents, ...others];
  const paintName = (line: string, index: number): string => {
    const style = styleOf(listed[index] ?? {});
    const [name = "", gap = "", rest = ""] = line.split(/( {2,})(.*)/s);
    return style === undefined ? line : paint(style, name) + gap + rest;
  };
  const rows = listed.map((agent) => [
    cutText(agent.name, isNarrow ? 24 : widest.name),
    agent.source.format,
    agent.source.scope,
    cutText(describeModel(agent, nameRunner), isNarrow ? 12 : widest.model),
    usable.has(agent) ? describeTools(agent) : `(${describeState(agent)})`,
  ]);
  const about = listed.map(({ source, description }) =>
    cleanLine(`${source.path === null ? "-" : shortenPath(source.path)}: ${description}`),
  );
  if (!isNarrow) {
    const whole = rows.map((row, index) => row.concat(about[index] ?? ""));
    const [title = "", ...lines] = formatTable(titles, whole, columns);
    return [title, ...lines.map(paintName)];
  }
  const [title = "", ...lines] = formatTable(titles.slice(0, -1), rows, columns);
  const pairs = lines.map((line, index) => [
    paintName(line, index),
    `  ${cutText(about[index] ?? "", columns - 2)}`,
  ]);
  return [title, ...pairs.flat()];
}

/** Returns the model of an agent, or the program that it runs in. */
function describeModel(
  { model = "-", runner }: AgentDefinition,
  nameRunner: (runner: string) => string,
): string {
  if (runner === undefined) return model;
  const command = nameRunner(runner).replace(/^acp:/, "");
  return `acp:${command.slice(command.lastIndexOf("/") + 1)}`;
}

/** Summarises an agent's tools: `Read,Bash(…)` when Bash is limited, or `all but Write`. */
function describeTools({ tools, disallowedTools = [], permissions }: AgentDefinition): string {
  const rules = permissions?.ordered ?? [];
  const limited = rules.flatMap(({ decision, rule }) =>
    decision === "deny" && /^\w+$/.test(rule) ? [rule] : [],
  );
  const written = (tool: string): string => (limited.includes(tool) ? `${tool}(…)` : tool);
  if (tools !== undefined) {
    const left = tools.filter((tool) => !disallowedTools.includes(tool));
    return left.length === 0 ? "none" : listShortly(left.map(written));
  }
  const less = [...disallowedTools, ...limited.map(written)];
  return less.length === 0 ? "all" : `all but ${listShortly(less)}`;
}

function listShortly(names: readonly string[]): string {
  const count = names.findIndex(
    (_, index) => index > 0 && names.slice(0, index + 1).join(",").length > widest.tools - 3,
  );
  const shown = cutText(names.slice(0, count === -1 ? undefined : count).join(","), widest.tools);
  return count === -1 ? shown : `${shown},+${names.length - count}`;
}

function describeState({ diagnostics, disabled }: AgentDefinition): string {
  const has = (code: string): boolean => diagnostics.some((finding) => finding.code === code);
  if (has("shadowed")) return "shadowed";
  if (has("copy")) return "copy";
  if (has("not-trusted")) return "not trusted";
  return disabled === true ? "off" : "broken";
}

/** Formats the fields of a definition. A long value continues in further rows. */
export function fieldRows(fields: readonly AgentFieldRow[], columns: number): string[][] {
  const origins = fields.map(({ origin }) => shortenPath(origin));
  const first = Math.max(...fields.map(({ field }) => field.length));
  const left = columns - first - Math.max(...origins.map((origin) => origin.length)) - 4;
  return fields.flatMap(({ field, value }, index) =>
    describeValue(value)
      .flatMap((line) => (Number.isFinite(left) ? wrapWords(line, Math.max(20, left)) : [line]))
      .map((line, at) => (at === 0 ? [field, origins[index] ?? "", line] : ["", "", line])),
  );
}

function describeValue(value: AgentFieldRow["value"]): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value) && value.every((item) => typeof item === "string"))
    return [value.length === 0 ? "none" : value.join(", ")];
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(item));
  if (typeof value !== "object" || value === null) return [JSON.stringify(value)];
  const lines = sortRules(Object.entries(value)).flatMap(([key, inner]) =>
    describeEntry(key, inner ?? null),
  );
  return lines.length === 0 ? ["none"] : lines;
}

/** The lists of rules in order of precedence: the first list with a matching rule decides. */
const ruleLists = ["deny", "ask", "allow"];

/** Sorts lists of rules by precedence, and keeps the order of other entries. */
function sortRules<Value>(entries: readonly [string, Value][]): [string, Value][] {
  const rank = ([key]: [string, Value]): number =>
    ruleLists.includes(key) ? ruleLists.indexOf(key) : ruleLists.length;
  return entries.some(([key]) => ruleLists.includes(key))
    ? entries.toSorted((left, right) => rank(left) - rank(right))
    : [...entries];
}

/** Formats rules as files do: `deny: Bash`, in order of precedence. */
function describeEntry(key: string, value: AgentFieldRow["value"]): string[] {
  if (!Array.isArray(value)) return [`${key}: ${JSON.stringify(value)}`];
  const isOrdered = key === "ordered" && value.length > 0;
  const lines = value.map((item) => {
    const isRule = typeof item === "object" && item !== null && !Array.isArray(item);
    const { decision, rule } = isRule ? item : {};
    if (typeof decision === "string" && typeof rule === "string") return `${decision}: ${rule}`;
    return `${key}: ${typeof item === "string" ? item : JSON.stringify(item)}`;
  });
  return isOrdered ? ["ordered, the last match counts:", ...lines] : lines;
}

/** Formats a path relative to the working folder or the home folder. */
function shortenPath(path: string): string {
  const here = relative(process.cwd(), path);
  if (!isAbsolute(path) || !here.startsWith("..")) return isAbsolute(path) ? here : path;
  return path.startsWith(`${homedir()}/`) ? `~${path.slice(homedir().length)}` : path;
}
