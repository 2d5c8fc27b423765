import { cpSync, globSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import manifest from "../package.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
const source = join(root, "src");

/** What is started or imported by its path. */
const entries = [
  "index",
  "cli/main",
  ...globSync("**/*-worker.ts", { cwd: source }).map(withoutExtension),
];

/**
 * Bundles the sources into `folder`: loading one file for many modules halves the time the command takes to start. Prompts,
 * templates, workers and scripts of perl keep the places they have in `src`; dependencies stay outside.
 */
export async function bundle(folder: string): Promise<void> {
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((entry) => [entry, join(source, `${entry}.ts`)])),
    platform: "node",
    external: Object.keys(manifest.dependencies).map((name) => new RegExp(`^${name}(/|$)`)),
    plugins: [keepPlaces()],
  });
  await build.write({ dir: folder, chunkFileNames: "chunk/[name]-[hash].js" });
  for (const file of globSync(["**/{prompt,template}/**/*.*", "**/*.pl"], { cwd: source })) {
    cpSync(join(source, file), join(folder, file));
  }
}

/** Lets `import.meta.url` of a module be where it would lie without bundling, wherever its code has moved. */
function keepPlaces(): Plugin {
  return {
    name: "keep-places",
    transform(code, id) {
      if (!id.startsWith(source) || !code.includes("import.meta.url")) return null;
      const place = `${withoutExtension(relative(source, id))}.js`;
      return code.replaceAll("import.meta.url", `placeOfModule(${JSON.stringify(place)})`);
    },
    renderChunk(code, { fileName }) {
      const up = relative(dirname(fileName), ".") || ".";
      return code.replaceAll(
        /placeOfModule\("(.*?)"\)/g,
        `new URL("${up}/$1", import.meta.url).href`,
      );
    },
  };
}

function withoutExtension(path: string): string {
  return path.replace(/\.ts$/, "");
}
