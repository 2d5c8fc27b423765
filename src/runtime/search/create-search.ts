// Search in the texts of runs, with an index that searches fill.

import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { CadreError } from "../../errors.ts";
import { readOverviews } from "../../registry/read-overviews.ts";
import type { PositionedEvent, Registry } from "../../registry/registry.ts";
import {
  type IndexedText,
  type IndexHit,
  openSearchIndex,
  type SearchIndex,
} from "../../registry/sqlite/search-index.ts";
import { searchableTexts } from "./searchable-texts.ts";
import type { SaidKind, FoundRun, RunSearch, FoundRuns } from "../run-search.ts";

/** Searches the texts of a registry's runs. */
export interface RunSearcher {
  search(registry: Registry, request: RunSearch): Promise<FoundRuns>;
  close(): Promise<void>;
}

/** The name of the index file in the registry's folder. */
export const indexName = "search.db";

/** How long a search waits for the index, in milliseconds. */
const indexWaitMs = 2000;
/** The number of characters added to the index in one turn of the event loop: a few milliseconds of work. */
const charactersAtOnce = 32_000;
/** The maximum number of matching texts that one search reads. */
const maxTexts = 5000;
const maxWords = 16;
const maxQueryLength = 1000;

/**
 * Creates the search of a registry, whose index is in `folder`. Nothing is indexed before the first search. Each search first
 * reads the events since the previous one, so runs have no cost.
 */
export function createSearch(folder: string): RunSearcher {
  let index: SearchIndex | undefined;
  let indexing: Promise<void> | undefined;
  let isClosed = false;

  function open(): SearchIndex {
    if (isClosed) throw new CadreError("closed", "This Cadre is closed.");
    return (index ??= openSearchIndex(join(folder, indexName)));
  }

  async function search(registry: Registry, request: RunSearch): Promise<FoundRuns> {
    const { limit = 20, cursor } = request;
    const query = toQuery(request.text);
    const isComplete = await update(registry);
    const before = readCursor(cursor);
    if (query === "") return { hits: [], next: null, isComplete };
    const found = open().find(query, { before, limit: maxTexts });
    const { latest, next } = selectLatest(found, limit);
    const hits = await describe(open(), registry, query, latest);
    return { hits, next, isComplete };
  }

  /** Reads the rest of the journal into the index. Resolves with `false` when that takes longer than a search waits. */
  async function update(registry: Registry): Promise<boolean> {
    const isIdle = indexing === undefined;
    indexing ??= readRest(registry).finally(() => (indexing = undefined));
    // An earlier reading may have reached the end before this search began.
    const whole = isIdle ? indexing : indexing.then(async () => await readRest(registry));
    const leaving = new AbortController();
    const late = delay(indexWaitMs, false, { signal: leaving.signal }).catch(() => false);
    whole.catch(() => undefined);
    const isWhole = await Promise.race([whole.then(() => true), late]);
    leaving.abort();
    return isWhole;
  }

  async function readRest(registry: Registry): Promise<void> {
    const to = open();
    for (;;) {
      const from = to.position();
      const events = await registry.eventsAfter(from);
      if (events.length === 0 || isClosed) return;
      await addEvents(to, from, { events, isClosed: () => isClosed });
    }
  }

  return {
    search,
    async close() {
      isClosed = true;
      await indexing?.catch(() => undefined);
      index?.close();
      index = undefined;
    },
  };
}

/** Adds the texts of events, with pauses for the runs of this process. */
async function addEvents(
  to: SearchIndex,
  from: string,
  { events, isClosed }: { events: readonly PositionedEvent[]; isClosed: () => boolean },
): Promise<void> {
  let begin = from;
  for (const part of cut(events)) {
    if (isClosed()) return;
    const begun = performance.now();
    const end = part.events.at(-1)?.position ?? begin;
    if (!to.add(part.texts, { from: begin, to: end })) return;
    begin = end;
    // The runs of this process get at least half of the time.
    const tookMs = performance.now() - begun;
    await (tookMs < 1 ? nextTurn() : delay(tookMs));
  }
}

/** Describes texts with their runs. */
async function describe(
  index: SearchIndex,
  registry: Registry,
  query: string,
  found: readonly IndexHit[],
): Promise<FoundRun[]> {
  const ids = found.map(({ runId }) => runId);
  const runs = await readOverviews(registry, await registry.runs({ ids, limit: ids.length + 1 }));
  const byId = new Map(runs.map((run) => [run.id, run]));
  // Another machine has deleted these runs.
  const gone = ids.filter((id) => !byId.has(id));
  const hits = found.flatMap(({ runId, seq, kind, row }): FoundRun[] => {
    const run = byId.get(runId);
    if (run === undefined) return [];
    return [{ run, kind: kind as SaidKind, seq, excerpt: readExcerpt(index.excerpt(query, row)) }];
  });
  if (gone.length > 0) index.remove(gone);
  return hits;
}

/** Divides events into batches with about {@link charactersAtOnce} characters of text. */
function* cut(
  events: readonly PositionedEvent[],
): Generator<{ events: PositionedEvent[]; texts: IndexedText[] }> {
  let part: { events: PositionedEvent[]; texts: IndexedText[] } = { events: [], texts: [] };
  let characters = 0;
  for (const positioned of events) {
    const texts = searchableTexts(positioned.event);
    part.events.push(positioned);
    part.texts.push(...texts);
    characters += texts.reduce((sum, { text }) => sum + text.length, 0);
    if (characters < charactersAtOnce) continue;
    yield part;
    part = { events: [], texts: [] };
    characters = 0;
  }
  if (part.events.length > 0) yield part;
}

/** Converts words to an FTS5 query in which none of them is an operator. */
function toQuery(text: string): string {
  if (text.length > maxQueryLength) {
    const message = `Expected a text of at most ${maxQueryLength} characters; got ${text.length}.`;
    throw new CadreError("invalid-argument", message);
  }
  const words = text
    .replaceAll("\0", " ")
    .split(/\s+/)
    // The index has no words without a letter or a digit.
    .filter((word) => /[\p{L}\p{N}\p{Co}]/u.test(word));
  if (words.length > maxWords) {
    const message = `Expected at most ${maxWords} words; got ${words.length}.`;
    throw new CadreError("invalid-argument", message);
  }
  return words.map((word) => `"${word.replaceAll('"', '""')}"*`).join(" ");
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  const message = `Expected the cursor of a search, \`next\` of its answer; got ${JSON.stringify(cursor)}.`;
  throw new CadreError("invalid-argument", message);
}

/** Returns the latest text of each run, of at most `limit` runs. */
function selectLatest(
  found: readonly IndexHit[],
  limit: number,
): { latest: IndexHit[]; next: string | null } {
  const latest = new Map<string, IndexHit>();
  for (const hit of found) {
    if (latest.has(hit.runId)) continue;
    if (latest.size === limit) return { latest: [...latest.values()], next: `${hit.row + 1}` };
    latest.set(hit.runId, hit);
  }
  const last = found.length === maxTexts ? found.at(-1) : undefined;
  return { latest: [...latest.values()], next: last === undefined ? null : `${last.row}` };
}

/** Reads the marks of an excerpt. */
function readExcerpt(marked: string): FoundRun["excerpt"] {
  return marked.split("\u0002").flatMap((piece, index) => {
    if (index === 0) return piece === "" ? [] : [{ text: piece, isMatch: false }];
    const [match = "", rest = ""] = piece.split("\u0003");
    const found = { text: match, isMatch: true };
    return rest === "" ? [found] : [found, { text: rest, isMatch: false }];
  });
}
