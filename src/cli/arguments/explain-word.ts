import { readdirSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { runnableEndings } from "./read-target.ts";
import type { Diagnostic, Discovery } from "../../host.ts";
import { findStatus } from "./find-status.ts";

/** The meanings that a word may have besides an agent. */
export interface OtherMeanings {
  /** The base of relative paths, absolute. */
  cwd: string;
  /** The names of Cadre's commands. */
  commands: readonly string[];
}

/** Explains why a first word that names no agent cannot start a task; `undefined` when it can. */
export async function explainWord(
  word: string,
  discovery: Discovery,
  meanings: OtherMeanings,
): Promise<string | undefined> {
  const { nearestName, formatDiagnostic } = await import("../../host.ts");
  const broken = findingsOf(word, discovery);
  if (broken.length > 0) {
    const lines = broken.map((finding) => `\n${formatDiagnostic(finding)}`).join("");
    return `There is no agent ${word}:${lines}`;
  }
  const path = resolve(meanings.cwd, word);
  const found = explainPath(word, path);
  if (found !== undefined) return found;
  const names = discovery.all.map(({ name }) => name);
  const meant =
    findNear(word, names, nearestName) ??
    findNearFile(word, path, nearestName) ??
    nameCommand(findNear(word, meanings.commands, (name, known) => nearestName(name, known, 1)));
  if (meant !== undefined) return `There is no agent ${word}. Did you mean \`${meant}\`?`;
  if (isPackReference(word)) return explainPack(word, names);
  if (!isPathLike(word)) return undefined;
  return `Expected an agent, a file or a task; there is no file ${path}.`;
}

/** Returns the findings in the file that a word names without folder and extension. */
function findingsOf(word: string, { all, diagnostics }: Discovery): Diagnostic[] {
  const isNamed = ({ path }: Diagnostic): boolean =>
    basename(path, extname(path)).toLowerCase() === word.toLowerCase();
  const unusable = all.flatMap((agent) => {
    const errors = agent.diagnostics.filter(({ severity }) => severity === "error");
    return agent.name.toLowerCase() === word.toLowerCase() ? errors : errors.filter(isNamed);
  });
  if (unusable.length > 0) return unusable;
  const paths = new Set(all.map(({ source }) => source.path));
  return diagnostics.filter((finding) => isNamed(finding) && !paths.has(finding.path));
}

/** Explains why the file or folder at a path cannot be run. */
function explainPath(word: string, path: string): string | undefined {
  const status = findStatus(path);
  if (status?.isDirectory() === true && isPathLike(word)) {
    return `Expected the file of an agent, a recipe or a prompt; ${word} is a folder.`;
  }
  if (status?.isFile() !== true) return undefined;
  const renamed = join(dirname(word), `${basename(word, extname(word))}.md`);
  return `Expected a file that ends in ${runnableEndings.join(", ")}; got ${word}. If it is a prompt, rename it to ${renamed}.`;
}

/** Paths contain dots and slashes, as do URLs and versions. */
function isPathLike(word: string): boolean {
  return !word.includes("://") && (/[\\/]/.test(word) || /\.[a-z][a-z\d]*$/i.test(word));
}

type FindNearest = (name: string, candidates: readonly string[]) => string | null;

/** Shorter words resemble too many others. */
const minMisspeltLength = 4;

function findNear(
  word: string,
  candidates: readonly string[],
  findNearest: FindNearest,
): string | undefined {
  const same = candidates.find((one) => one.toLowerCase() === word.toLowerCase());
  if (same !== undefined || word.length < minMisspeltLength) return same;
  return findNearest(word, candidates) ?? undefined;
}

/** Returns a file beside `path` with a similar name, with or without its extension. */
function findNearFile(word: string, path: string, findNearest: FindNearest): string | undefined {
  const folder = dirname(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  const files = readdirSync(folder).filter((name) => runnableEndings.includes(endingOf(name)));
  const hasEnding = runnableEndings.includes(endingOf(word));
  // Names of code and data files resemble many words.
  const usual = files.filter((name) => !/\.(?:m?[jt]s|json)$/i.test(name));
  const names = new Map(
    hasEnding
      ? files.map((name) => [name, name])
      : usual.map((name) => [basename(name, extname(name)), name]),
  );
  const near = findNear(basename(word), [...names.keys()], findNearest);
  return near === undefined ? undefined : join(dirname(word), names.get(near) ?? near);
}

function endingOf(name: string): string {
  return extname(name).toLowerCase();
}

function nameCommand(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `cadre ${name}`;
}

/** Reports whether the word has the form `NAMESPACE@PACK`, optionally followed by the path of an agent. */
function isPackReference(word: string): boolean {
  return /^[A-Za-z_][\w-]*@(?:[A-Za-z_][\w-]*(?:[@/]\S*)?)?$/.test(word);
}

/** Explains why a word in the form of a pack reference names no agent. */
function explainPack(word: string, names: readonly string[]): string {
  const pack = /^([\w-]+@[\w-]+)(?:\/|$)/.exec(word)?.[1];
  if (pack === undefined) {
    return `There is no agent ${word}. Expected a pack as NAMESPACE@PACK, or an agent of it as NAMESPACE@PACK/PATH.`;
  }
  const inside = names.filter((name) => name.startsWith(`${pack}/`));
  const why =
    inside.length > 0
      ? `the pack has ${inside.join(", ")}.`
      : "no pack with this name is in .aipack/custom or ~/.aipack-base/pack. `cadre agents` lists the available agents.";
  return `There is no agent ${word}: ${why}`;
}
