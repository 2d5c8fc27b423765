import type { JsonObject } from "../../source/json.ts";
import { asTable } from "./options.ts";

/** The entry of a file in a map. */
export interface FileSummary {
  summary: string;
  when_to_use: string;
  public_types: string[];
  public_functions: string[];
}

const texts: JsonObject = { type: "array", items: { type: "string" }, default: [] };

/** The JSON Schema of a {@link FileSummary}. */
export const fileSummarySchema: JsonObject = {
  type: "object",
  properties: {
    summary: { type: "string", description: "What the file is for" },
    when_to_use: { type: "string", description: "When it is needed" },
    public_types: { ...texts, description: "The types it exports" },
    public_functions: { ...texts, description: "The functions it exports" },
  },
  required: ["summary", "when_to_use"],
  additionalProperties: false,
};

/** The maximum length of a text in a map, in characters. Models write more than they are asked for. */
const maxTextLength = 600;
const maxNames = 40;

/** Reads a summary from an untrusted source: a model, or a file that may have been edited. */
export function readFileSummary(value: unknown): FileSummary | null {
  const table = asTable(value);
  const { summary, when_to_use: use } = table;
  if (typeof summary !== "string") return null;
  return {
    summary: shorten(summary),
    when_to_use: typeof use === "string" ? shorten(use) : "",
    public_types: readNames(table["public_types"]),
    public_functions: readNames(table["public_functions"]),
  };
}

/** Returns the lines about one file in a map. */
export function showFile(path: string, file: FileSummary | null): string {
  if (file === null) return `- ${path}`;
  const { summary, when_to_use: use, public_types: types, public_functions: functions } = file;
  return [
    `- ${path}`,
    `  ${summary}`,
    ...(use === "" ? [] : [`  When: ${use}`]),
    ...(types.length === 0 ? [] : [`  Types: ${types.join(", ")}`]),
    ...(functions.length === 0 ? [] : [`  Functions: ${functions.join(", ")}`]),
  ].join("\n");
}

/** The maximum size of a map passed to later agents, in characters of JSON. An agent may return at most 1 MiB. */
const maxCharacters = 700_000;

/** The part of a map that later agents get. */
export interface HandedMap {
  files: [string, FileSummary][];
  /** Explains which part is missing; absent when the map is complete. */
  missing?: string;
}

/**
 * Limits a map to the size that can be passed on. A very large map keeps the beginnings of its summaries, for as many files as
 * fit.
 */
export function fitMap(map: ReadonlyMap<string, FileSummary>): HandedMap {
  const whole = [...map];
  const sizeOf = (entry: [string, FileSummary]): number => JSON.stringify(entry).length;
  if (whole.reduce((sum, entry) => sum + sizeOf(entry), 0) <= maxCharacters) {
    return { files: whole };
  }
  let left = maxCharacters;
  const short = whole.map(([path, { summary }]): [string, FileSummary] => {
    const rest = { when_to_use: "", public_types: [], public_functions: [] };
    return [path, { summary: summary.slice(0, 120).toWellFormed(), ...rest }];
  });
  const files = short.filter((entry) => (left -= sizeOf(entry)) >= 0);
  const missing = `The map is too large for later agents: they get shortened summaries of ${files.length} of its ${whole.length} files. Narrow the globs.`;
  return { files, missing };
}

function shorten(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, maxTextLength).toWellFormed();
}

function readNames(value: unknown): string[] {
  const names = Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
  return names.slice(0, maxNames).map((name) => name.slice(0, 100));
}
