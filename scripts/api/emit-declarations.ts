import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { API, type Project } from "typescript/unstable/sync";
import manifest from "../../package.json" with { type: "json" };

const root = join(import.meta.dirname, "../..");

/** The published declarations, as the compiler reads them. */
export interface Declarations extends Disposable {
  project: Project;
  /** The absolute folder of the declarations; their paths in it are those of the sources in `src`. */
  folder: string;
  /** The entry points of package.json with types: the name to import, and the absolute path of its declarations. */
  entries: { name: string; path: string }[];
}

/** Emits the declarations that the package would contain, and opens them. Disposing removes them. */
export async function emitDeclarations(): Promise<Declarations> {
  // Below the root, so that the types of dependencies are found.
  const parent = join(root, "node_modules", ".cache");
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "declarations-"));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const words = [compiler, "--project", join(root, "tsconfig.build.json"), "--outDir", folder];
  // The compiler is written in Go: it needs no more memory without collecting garbage, and a quarter less CPU time.
  await promisify(execFile)(process.execPath, words, { env: { ...process.env, GOGC: "off" } });
  const entries = findEntries(folder);
  const config = join(folder, "tsconfig.json");
  const compilerOptions = { target: "es2024", module: "nodenext", strict: true, types: ["node"] };
  const typeRoots = [join(root, "node_modules/@types")];
  const files = entries.map(({ path }) => path);
  writeFileSync(
    config,
    JSON.stringify({ compilerOptions: { ...compilerOptions, typeRoots }, files }),
  );
  const compilerProcess = new API({ cwd: folder });
  const close = (): void => {
    compilerProcess.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const [project] = compilerProcess.updateSnapshot({ openProjects: [config] }).getProjects();
  if (project === undefined) {
    close();
    throw new Error(`Expected a project of TypeScript in ${config}; the compiler opened none.`);
  }
  return { project, folder, entries, [Symbol.dispose]: close };
}

function findEntries(folder: string): Declarations["entries"] {
  return Object.entries(manifest.exports).flatMap(([key, target]) =>
    typeof target === "string"
      ? []
      : [{ name: join("cadre", key), path: join(folder, target.types.replace("./dist/", "")) }],
  );
}
