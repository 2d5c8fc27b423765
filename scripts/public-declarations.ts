import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import manifest from "../package.json" with { type: "json" };

/** The packages whose types are installed with Cadre. */
const known: ReadonlySet<string> = new Set(Object.keys(manifest.dependencies));

/** The declarations of the entry points, as paths in the package. */
const entries = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry === "string" ? [] : entry.types,
);

/**
 * Deletes the declarations in `dist` of the package in `folder` that no entry point needs. They cannot be imported, and they
 * are a tenth of the package.
 *
 * @throws Error for a declaration that needs types which users of the package may not have.
 */
export function keepPublicDeclarations(folder: string): void {
  const reached = new Set<string>();
  const open = entries.map((entry) => join(folder, entry));
  for (const file of open) {
    if (reached.has(file)) continue;
    reached.add(file);
    open.push(...importedBy(file));
  }
  for (const path of globSync("dist/**/*.d.ts", { cwd: folder })) {
    const file = join(folder, path);
    if (!reached.has(file)) rmSync(file);
  }
}

/** Returns the declarations that a file imports. @throws Error for a missing one. */
function importedBy(file: string): string[] {
  const text = readFileSync(file, "utf8");
  for (const [, name = ""] of text.matchAll(/\b(?:from|import) ?\(?"([a-z@][^":]*)"/g)) {
    const [scope = "", rest] = name.split("/");
    const dependency = scope.startsWith("@") ? `${scope}/${rest}` : scope;
    if (!known.has(dependency)) throw new Error(`${file} imports ${name}, which may be missing.`);
  }
  const paths = text.matchAll(/\b(?:from|import) ?\(?"(\.{1,2}\/[^"]+)"/g);
  return Array.from(paths, ([, path = ""]) => {
    const found = join(dirname(file), path.replace(/\.(ts|js)$/, ".d.ts"));
    if (!existsSync(found)) throw new Error(`${file} imports ${path}, which has no declaration.`);
    return found;
  });
}
