import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type FileSummary, readFileSummary } from "./file-map.ts";
import { asTable } from "./options.ts";

/** More than these are of files that are long gone. */
const mostKept = 20_000;

/** What is known of contents, by their hashes. */
export interface Summaries {
  get(hash: string): FileSummary | null;
  set(hash: string, summary: FileSummary): void;
  /** Adds what is new to the file; another run may have added to it meanwhile. */
  save(): Promise<void>;
}

/** Opens the file of summaries at `path`; one that is not there, or broken, is an empty one. */
export async function openSummaries(path: string): Promise<Summaries> {
  const known = await read(path);
  const added = new Map<string, FileSummary>();
  return {
    get: (hash) => added.get(hash) ?? known.get(hash) ?? null,
    set: (hash, summary) => void added.set(hash, summary),
    async save() {
      if (added.size === 0) return;
      const all = [...(await read(path)), ...added].slice(-mostKept);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(`${path}.tmp-${process.pid}`, JSON.stringify(Object.fromEntries(all)));
      await rename(`${path}.tmp-${process.pid}`, path);
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

function parse(text: string): Record<string, unknown> {
  try {
    return asTable(JSON.parse(text));
  } catch {
    // It was cut off, or somebody edited it: the worst that happens is that files are described again.
    return {};
  }
}
