import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { replaceFile } from "./replace-file.ts";
import { type FileSummary, readFileSummary } from "./file-map.ts";
import { asTable } from "./options.ts";

/** The maximum number of summaries. Older ones belong to files that no longer exist. */
const maxKept = 20_000;

/** File summaries by the hash of the content. */
export interface Summaries {
  get(hash: string): FileSummary | null;
  set(hash: string, summary: FileSummary): void;
  /** Adds the new summaries to the file. Another run may have added summaries in the meantime. */
  save(): Promise<void>;
}

/** Opens the file of summaries at `path`. A missing or broken file counts as empty. */
export async function openSummaries(path: string): Promise<Summaries> {
  const known = await read(path);
  const added = new Map<string, FileSummary>();
  return {
    get: (hash) => added.get(hash) ?? known.get(hash) ?? null,
    set: (hash, summary) => void added.set(hash, summary),
    async save() {
      if (added.size === 0) return;
      const all = [...(await read(path)), ...added].slice(-maxKept);
      await mkdir(dirname(path), { recursive: true });
      await replaceFile(path, JSON.stringify(Object.fromEntries(all)));
    },
  };
}

async function read(path: string): Promise<Map<string, FileSummary>> {
  const text = await readFile(path, "utf8").catch(() => "{}");
  const entries = Object.entries(parse(text)).flatMap(([hash, value]) => {
    const summary = readFileSummary(value);
    return summary === null ? [] : [[hash, summary] as const];
  });
  return new Map(entries);
}

// Not `parseJson`, because the built-in agents use only what any program can use.
function parse(text: string): Record<string, unknown> {
  try {
    return asTable(JSON.parse(text));
  } catch {
    // A truncated or edited file: at worst, files are described again.
    return {};
  }
}
