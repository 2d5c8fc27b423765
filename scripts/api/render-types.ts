import type { EntryPoint, PublicName } from "./read-entry-points.ts";

/** The entry point of the types that no other entry point exports. */
export const typesEntry = "cadre/types";

/** Returns the direct and indirect types in signatures of the entry points that only `cadre/types` exports. */
export function findOtherTypes(entries: readonly EntryPoint[]): PublicName[] {
  const others = entries.filter(({ name }) => name !== typesEntry);
  const exported = new Set(others.flatMap(({ names }) => Array.from(names.values())));
  const used = new Set(exported);
  for (const { uses } of used) for (const name of uses) used.add(name);
  return [...used].filter((name) => !exported.has(name));
}

/** Renders `src/types.ts`, which exports these types. The result is not formatted. */
export function renderTypes(types: readonly PublicName[]): string {
  const modules = Map.groupBy(types, ({ module }) => module);
  const lines = [...modules]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([module, all]) => {
      const names = all.map(({ name }) => name).toSorted();
      return `export type { ${names.join(", ")} } from "./${module}";\n`;
    });
  return `/** The types in the signatures of \`cadre\` and of its other entry points that these do not name themselves. Types only. */
// Written by \`npm run api\`. A type that is missing in its module has no \`export\` there.
${lines.join("")}`;
}
