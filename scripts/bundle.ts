import { cpSync, globSync, readFileSync } from "node:fs";
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

/** Loaded from `node_modules`, except zod: every start needs it, and it is a dependency only because public types name its types. */
const external = Object.keys(manifest.dependencies)
  .filter((name) => name !== "zod")
  .map((name) => new RegExp(`^${name}(/|$)`));

/**
 * Bundles the sources into `folder`, with zod and the development dependencies that they import: loading a few large files takes
 * a third of the time of loading hundreds of modules. Prompts, templates, workers and Perl scripts keep the places they have in
 * `src`. `licenses.txt` holds the licenses of the bundled packages.
 */
export async function bundle(folder: string): Promise<void> {
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((entry) => [entry, join(source, `${entry}.ts`)])),
    platform: "node",
    external,
    plugins: [keepPlaces(), addLicenses()],
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

/** Adds the license of every package of which the bundle holds code, as these licenses demand. */
function addLicenses(): Plugin {
  return {
    name: "add-licenses",
    generateBundle(_options, files) {
      const modules = Object.values(files).flatMap((file) =>
        file.type === "chunk" ? file.moduleIds : [],
      );
      const folders = modules.flatMap(
        (id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [],
      );
      const texts = [...new Set(folders)].toSorted().map((folder) => {
        const [license] = globSync("{LICENSE,LICENCE,license}*", { cwd: folder });
        if (license === undefined) throw new Error(`There is no license in ${folder}.`);
        return `${relative(root, folder)}\n\n${readFileSync(join(folder, license), "utf8").trim()}\n`;
      });
      this.emitFile({ type: "asset", fileName: "licenses.txt", source: texts.join("\n\n") });
    },
  };
}

function withoutExtension(path: string): string {
  return path.replace(/\.ts$/, "");
}
