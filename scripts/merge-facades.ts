import { posix } from "node:path";
import type { OutputBundle, OutputChunk, Plugin } from "rolldown";

/** A chunk that only re-exports another one. */
interface Facade {
  /** The path of the other chunk in the build. */
  target: string;
  /** Its exports, each as the name for importers and the name in the other chunk. */
  names: readonly (readonly [name: string, targetName: string])[];
}

const onlyExports = /^export \{ ([^}]*) \} from "(\.[^"]+)";\s*$/;
const onlyImports = /^(?:import "\.[^"]+";\s*)+export \{\};\s*$/;

/**
 * Removes files without code: those that only re-export a stage for a dynamic import, and those that only import other files.
 * A start would read fourteen of them, which takes a third of a millisecond each.
 */
export function mergeFacades(): Plugin {
  return {
    name: "merge-facades",
    generateBundle(_options, files) {
      const chunks = Object.values(files).filter((file) => file.type === "chunk");
      const facades = new Map(chunks.flatMap((chunk) => readFacade(chunk)));
      const empty = new Set(chunks.filter(isEmpty).map(({ fileName }) => fileName));
      const removed = new Set([...facades.keys(), ...empty]);
      for (const chunk of chunks.filter(({ fileName }) => !removed.has(fileName))) {
        chunk.code = withoutEmptyImports(importTargets(chunk, facades), chunk, empty, files);
      }
      for (const name of removed) delete files[name];
    },
  };
}

function readFacade({ code, fileName, isEntry }: OutputChunk): [string, Facade][] {
  const [, list, path] = (isEntry ? null : onlyExports.exec(code)) ?? [];
  if (list === undefined || path === undefined) return [];
  const names = list.split(", ").map((one) => {
    const [targetName = "", name = targetName] = one.split(" as ");
    return [name, targetName] as const;
  });
  return [[fileName, { target: resolveImport(fileName, path), names }]];
}

function isEmpty({ code, isEntry }: OutputChunk): boolean {
  return !isEntry && onlyImports.test(code);
}

/** Returns the code with imports of the chunk behind each facade, limited to the facade's exports. */
function importTargets(
  { code, fileName }: OutputChunk,
  facades: ReadonlyMap<string, Facade>,
): string {
  return code.replaceAll(/\bimport\("(\.[^"]+)"\)/g, (whole, path: string) => {
    const facade = facades.get(resolveImport(fileName, path));
    if (facade === undefined) return whole;
    const picked = facade.names.map(([name, targetName]) => `${name}: m.${targetName}`);
    const target = pathTo(facade.target, fileName);
    return `import("${target}").then((m) => ({ ${picked.join(", ")} }))`;
  });
}

/** Replaces the import of each empty file by the imports of that file that the importer does not load yet. */
function withoutEmptyImports(
  code: string,
  { fileName }: OutputChunk,
  empty: ReadonlySet<string>,
  files: OutputBundle,
): string {
  const loaded = findLoaded(fileName, files, empty);
  return code.replaceAll(/^import "(\.[^"]+)";\n/gm, (whole, path: string) => {
    const imported = resolveImport(fileName, path);
    if (!empty.has(imported)) return whole;
    const missing = [...findLoaded(imported, files, new Set())].filter(
      (one) => !empty.has(one) && !loaded.has(one),
    );
    return missing.map((one) => `import "${pathTo(one, fileName)}";\n`).join("");
  });
}

/** Returns the files that Node loads with `fileName`, except files that only `skipped` files import. */
function findLoaded(
  fileName: string,
  files: OutputBundle,
  skipped: ReadonlySet<string>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (name: string): void => {
    const file = files[name];
    if (found.has(name) || skipped.has(name) || file?.type !== "chunk") return;
    found.add(name);
    file.imports.forEach(visit);
  };
  visit(fileName);
  return found;
}

function resolveImport(from: string, path: string): string {
  return posix.join(posix.dirname(from), path);
}

function pathTo(file: string, from: string): string {
  const path = posix.relative(posix.dirname(from), file);
  return path.startsWith(".") ? path : `./${path}`;
}
