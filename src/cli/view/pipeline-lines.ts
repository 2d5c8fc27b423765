import { cleanLine, cleanText } from "../terminal/clean-text.ts";

const maxFiles = 20;
/** The maximum length shown of one result. */
const longest = { lines: 20, characters: 2000 } as const;

/**
 * Describes the parts of a pipeline's output besides the answer: changed files, and results of the agents at `end`. Returns
 * nothing for the output of any other run. `show` is the command that shows the whole output.
 */
export function describePipeline(output: unknown, show: string): string[] {
  if (!isObject(output)) return [];
  const { files_changed: files, sub_agents: agents } = output;
  if (!Array.isArray(files) || !Array.isArray(agents)) return [];
  const history = agents.filter(isObject);
  const end = history.findIndex(({ event }) => event === "end");
  // Only events emitted at `end` follow it.
  const atEnd = end < 0 ? [] : history.slice(end);
  return [...nameFiles(files), ...atEnd.flatMap((item) => describeResult(item, show))];
}

function nameFiles(files: readonly unknown[]): string[] {
  if (files.length === 0) return [];
  const named = files.slice(0, maxFiles).map((file) => cleanLine(String(file)));
  const more = files.length > maxFiles ? ` and ${files.length - maxFiles} more` : "";
  return [`changed: ${named.join(", ")}${more}`];
}

function describeResult(
  { config, event, agent_result: result }: Record<string, unknown>,
  show: string,
): string[] {
  const name = isObject(config) ? config["name"] : undefined;
  if (result === null || result === undefined || typeof name !== "string") return [];
  const text = typeof result === "string" ? result.trim() : JSON.stringify(result);
  const [first = "", ...others] = shorten(cleanText(text), show);
  return [
    `${cleanLine(`${name} (${String(event)})`)}: ${first}`,
    ...others.map((line) => `  ${line}`),
  ];
}

function shorten(text: string, show: string): string[] {
  const lines = text.slice(0, longest.characters).toWellFormed().split("\n");
  const isWhole = text.length <= longest.characters && lines.length <= longest.lines;
  return isWhole ? lines : [...lines.slice(0, longest.lines), `… (all of it: ${show})`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
