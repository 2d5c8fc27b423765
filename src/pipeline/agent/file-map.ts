import type { JsonObject } from "../../source/json.ts";
import { asTable } from "./options.ts";

/** What a map says of a file. */
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
    when_to_use: { type: "string", description: "When somebody needs it" },
    public_types: { ...texts, description: "The types it exports" },
    public_functions: { ...texts, description: "The functions it exports" },
  },
  required: ["summary", "when_to_use"],
  additionalProperties: false,
};

/** The longest text a map keeps of a file, in characters; models say more than they are asked for. */
const longestText = 600;
const mostNames = 40;

/** Reads a summary from anywhere: a model, or a file that somebody may have changed. */
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

/** The lines of a map about one file. */
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

/** What later agents are given of a map, in characters of JSON: one agent may not return more than 1 MiB. */
const mostCharacters = 700_000;

/** What later agents are given of a map. */
export interface HandedMap {
  files: [string, FileSummary][];
  /** What of the map they are not given; absent = they are given all of it. */
  missing?: string;
}

/** A map that can be handed on: of a very large one only the beginnings of its summaries, and of as many files as fit. */
export function fitMap(map: ReadonlyMap<string, FileSummary>): HandedMap {
  const whole = [...map];
  const sizeOf = (entry: [string, FileSummary]): number => JSON.stringify(entry).length;
  if (whole.reduce((sum, entry) => sum + sizeOf(entry), 0) <= mostCharacters) {
    return { files: whole };
  }
  let left = mostCharacters;
  const short = whole.map(([path, { summary }]): [string, FileSummary] => {
    const rest = { when_to_use: "", public_types: [], public_functions: [] };
    return [path, { summary: summary.slice(0, 120).toWellFormed(), ...rest }];
  });
  const files = short.filter((entry) => (left -= sizeOf(entry)) >= 0);
  const missing = `The map is too large for the agents that come later: they get shortened summaries of ${files.length} of its ${whole.length} files. Narrow the globs.`;
  return { files, missing };
}

function shorten(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, longestText).toWellFormed();
}

function readNames(value: unknown): string[] {
  const names = Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
  return names.slice(0, mostNames).map((name) => name.slice(0, 100));
}
