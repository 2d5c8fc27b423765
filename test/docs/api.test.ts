import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { emitDeclarations } from "../../scripts/api/emit-declarations.ts";
import { readEntryPoints } from "../../scripts/api/read-entry-points.ts";
import { renderPages } from "../../scripts/api/render-page.ts";
import { findOtherTypes, typesEntry } from "../../scripts/api/render-types.ts";
import { hostNames, libraryNames } from "./exported-names.ts";

const folder = join(import.meta.dirname, "../../docs/api");
const declarations = await emitDeclarations();
afterAll(() => declarations[Symbol.dispose]());
const entries = readEntryPoints(declarations);
const exported = new Set(entries.flatMap(({ names }) => Array.from(names.values())));

test("docs/api is what `npm run api` writes", () => {
  const pages = renderPages(entries);
  expect(readdirSync(folder).toSorted()).toEqual(pages.map(({ file }) => file).toSorted());
  const stale = pages.filter(({ file, text }) => readFileSync(join(folder, file), "utf8") !== text);
  expect(stale.map(({ file }) => `run \`npm run api\`: ${file} has changed`)).toEqual([]);
});

test("`cadre/types` exports the types of signatures that no other entry point exports", () => {
  const types = entries.find(({ name }) => name === typesEntry);
  const names = findOtherTypes(entries).map(({ name }) => name);
  expect(Array.from(types?.names.keys() ?? []).toSorted(), "run `npm run api`").toEqual(
    names.toSorted(),
  );
});

test("`cadre` and `cadre/host` export the names of `exported-names.ts`, and no others", () => {
  const namesOf = (entry: string): string[] =>
    entries.flatMap(({ name, names }) => (name === entry ? [...names.keys()] : [])).toSorted();
  expect(namesOf("cadre")).toEqual(libraryNames);
  expect(namesOf("cadre/host")).toEqual([...libraryNames, ...hostNames].toSorted());
});

test("every entry point has an introduction", () => {
  const missing = entries.filter(({ comment }) => !/\w/.test(comment));
  expect(
    missing.map(({ name }) => `${name} has no comment at the beginning of its module`),
  ).toEqual([]);
});

test("every exported name has a docstring, whose links lead to a name of the reference", () => {
  const names = new Set(Array.from(exported, ({ name }) => name));
  const problems = [...exported].flatMap(({ name, comment, code }) => {
    const links = [...`${comment}${code}`.matchAll(/\{@link (\w+)/g)].map(([, to = ""]) => to);
    if (comment === "") return [`${name} has no docstring`];
    return links.filter((to) => !names.has(to)).map((to) => `${name} links to ${to}`);
  });
  expect(problems).toEqual([]);
});

test("modes, statuses and codes are unions of words", () => {
  const fields =
    /^ +(?:readonly )?(\w*(?:mode|code|status|severity|decision))\??: string(?: \||;)/gim;
  const loose = [...exported].flatMap(({ name, code }) =>
    Array.from(code.matchAll(fields), ([, field]) => `${name}.${field}`),
  );
  // Custom formats find their own problems.
  expect(loose).toEqual(["Diagnostic.code", "EntryFinding.code"]);
});
