import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { emitDeclarations } from "../../scripts/api/emit-declarations.ts";
import { type PublicName, readEntryPoints } from "../../scripts/api/read-entry-points.ts";
import { renderPages } from "../../scripts/api/render-page.ts";

const folder = join(import.meta.dirname, "../../docs/api");
const declarations = await emitDeclarations();
afterAll(() => declarations[Symbol.dispose]());
const entries = readEntryPoints(declarations);
const exported = new Set(entries.flatMap(({ names }) => Array.from(names.values())));

/** The exported names and all that their declarations use, directly or indirectly. */
function collectUsed(): Set<PublicName> {
  const used = new Set(exported);
  for (const { uses } of used) for (const name of uses) used.add(name);
  return used;
}

test("docs/api is what `npm run api` writes", () => {
  const pages = renderPages(entries);
  expect(readdirSync(folder).toSorted()).toEqual(pages.map(({ file }) => file).toSorted());
  const stale = pages.filter(({ file, text }) => readFileSync(join(folder, file), "utf8") !== text);
  expect(stale.map(({ file }) => `run \`npm run api\`: ${file} has changed`)).toEqual([]);
});

test("every type in a public signature is exported by an entry point", () => {
  const unnamed = [...collectUsed()].filter((name) => !exported.has(name));
  const lines = unnamed.map(({ name, module }) => `export type { ${name} } from "./${module}";`);
  expect(lines, "add these lines to src/types.ts").toEqual([]);
});

test("`cadre/types` has no type that another entry point exports", () => {
  const types = entries.find(({ name }) => name === "cadre/types");
  const others = entries.filter((entry) => entry !== types).map(({ names }) => names);
  const twice = Array.from(types?.names.keys() ?? []).filter((name) =>
    others.some((names) => names.has(name)),
  );
  expect(twice).toEqual([]);
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
  // Formats of a program find problems of their own.
  expect(loose).toEqual(["Diagnostic.code", "EntryFinding.code"]);
});
