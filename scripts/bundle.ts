import { cpSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import { minifySync } from "rolldown/utils";
import standaloneCode from "ajv/dist/standalone/index.js";
import { bundlePage } from "./bundle-page.ts";
import { groupByStage } from "./load-stages.ts";
import { mergeFacades } from "./merge-facades.ts";
import { compileMetaSchema, createAjv } from "../src/source/schema/ajv-library.ts";
import manifest from "../package.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
const source = join(root, "src");

/** Modules that are started or loaded by their path. */
const entries = [
  "index",
  "host",
  "testing",
  "testing/vitest",
  "telemetry",
  "client",
  "postgres",
  "dbos",
  "types",
  "cli/main",
  ...globSync("**/*-{worker,library}.ts", { cwd: source }).map(withoutExtension),
];

/** Dependencies whose types the public types use. Their code is bundled, because every start needs it. */
const typesOnly = new Set(["zod", "@ai-sdk/provider"]);

/** Packages loaded from `node_modules`, where users update them. Only some runs need each of them. */
const external = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  .filter((name) => !typesOnly.has(name))
  .map((name) => new RegExp(`^${name}(/|$)`));

/**
 * Bundles the sources into `folder`, with zod and the development dependencies that they import. Loading a few large files takes
 * a third of the time of loading hundreds of modules. Workers, and files that are not code, keep their paths in `src`.
 * `licenses.txt` contains the licenses of the bundled packages.
 */
export async function bundle(folder: string): Promise<void> {
  const input = Object.fromEntries(entries.map((entry) => [entry, join(source, `${entry}.ts`)]));
  const build = await rolldown({
    cwd: root,
    input,
    // Entries keep their exports. Their chunks may export more.
    preserveEntrySignatures: "allow-extension",
    platform: "node",
    external,
    // A dynamically imported module may be in the chunk of a stage that also imports it statically.
    checks: { ineffectiveDynamicImport: false },
    plugins: [
      keepPlaces(),
      replaceHeaders(),
      loadHttp2OnUse(),
      compileMetaSchemas(),
      mergeFacades(),
      addLicenses(),
      minifyPackages(),
      writeAscii(),
    ],
  });
  const name = groupByStage(new Set(Object.values(input)));
  await build.write({
    dir: folder,
    // The declarations contain the docstrings, and `licenses.txt` the licenses. Tools that bundle again need the annotations.
    comments: { annotation: true, jsdoc: false, legal: false },
    chunkFileNames: "chunk/[name]-[hash].js",
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: "stages", name }],
    },
  });
  for (const file of globSync("**/*.*", { cwd: source })) {
    if (!file.endsWith(".ts")) cpSync(join(source, file), join(folder, file));
  }
  await bundlePage(join(folder, "serve", "page"), addLicenses());
}

/** Sets `import.meta.url` of a module to its path without bundling, wherever its code has moved. */
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

/**
 * Replaces Node's headers in the providers' clients with ours, because Node loads all of its `fetch` for its own
 * (`docs/decisions/0050-less-code-until-the-first-request.md`).
 */
function replaceHeaders(): Plugin {
  const headers = JSON.stringify(join(source, "model", "transport", "light-headers.ts"));
  return {
    name: "replace-headers",
    transform(code, id) {
      if (!id.includes("/node_modules/@ai-sdk/") || !code.includes("new Headers(")) return null;
      return `import { LightHeaders as Headers } from ${headers};\n${code}`;
    },
  };
}

/**
 * Makes undici load HTTP/2 for the first server that uses it. Node's module, with TLS, costs a tenth of the CPU time until the
 * first request.
 */
function loadHttp2OnUse(): Plugin {
  const before = "const connectH2 = require('./client-h2.js')";
  return {
    name: "load-http2-on-use",
    transform(code, id) {
      if (!id.endsWith("/node_modules/undici/lib/dispatcher/client.js")) return null;
      if (!code.includes(before)) throw new Error(`Expected \`${before}\` in ${id}.`);
      return code.replace(
        before,
        "const connectH2 = (client, socket) => require('./client-h2.js')(client, socket)",
      );
    },
  };
}

/** Compiles the meta-schemas. Otherwise a process that checks a schema takes 70 ms to compile them. */
function compileMetaSchemas(): Plugin {
  const dialects = ["draft7", "draft2020"] as const;
  return {
    name: "compile-meta-schemas",
    transform(_code, id) {
      if (id !== join(source, "source", "schema", "meta-schema-library.ts")) return null;
      const codes = dialects.map((dialect) => {
        const ajv = createAjv(dialect, { code: { source: true } });
        const code = standaloneCode.default(ajv, compileMetaSchema(ajv));
        return `case "${dialect}": { const module = {}; const exports = {}; ${code}; return module.exports; }`;
      });
      const text = `export function metaSchemaOf(dialect) { switch (dialect) { ${codes.join("\n")} } }`;
      // A module has no `require`.
      const equal = 'require("ajv/dist/runtime/equal").default';
      return `import equal from "ajv/dist/runtime/equal.js";\n${text.replaceAll(equal, "equal.default")}`;
    },
  };
}

/**
 * Minifies the chunks that contain more code of other packages than of Cadre; Cadre's own stack traces stay readable. Runs at the
 * end, because the bundler prints the code of chunks again with white space.
 */
function minifyPackages(): Plugin {
  return {
    name: "minify-packages",
    generateBundle(_options, files) {
      for (const chunk of Object.values(files)) {
        if (chunk.type !== "chunk" || !isMostlyPackages(chunk.modules)) continue;
        // As in the other chunks, comments name the packages of the code.
        const names = Object.keys(chunk.modules).flatMap(
          (id) => /\/(node_modules\/.*)/.exec(id)?.[1] ?? [],
        );
        const lines = [...new Set(names.map(nameOfPackage))].map((name) => `// ${name}\n`);
        const { code } = minifySync(chunk.fileName, chunk.code, { module: true });
        chunk.code = lines.join("") + code;
      }
    },
  };
}

/**
 * Replaces characters beyond ASCII with escapes. V8 stores a source with a single character beyond Latin-1 in two bytes a character,
 * for as long as the program runs.
 */
function writeAscii(): Plugin {
  return {
    name: "write-ascii",
    generateBundle(_options, files) {
      for (const chunk of Object.values(files)) {
        if (chunk.type !== "chunk") continue;
        // If an escape would change the meaning, the source must be written differently.
        const odd = /(?:\\|String\.raw`[^`]*)[^\0-\x7f]/.exec(chunk.code);
        if (odd !== null)
          throw new Error(`No escape can stand here: ${odd[0]} (${chunk.fileName}).`);
        chunk.code = chunk.code.replaceAll(/[^\0-\x7f]/g, escapeUnit);
      }
    },
  };
}

/** Returns the escape of one UTF-16 code unit. */
function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function isMostlyPackages(modules: OutputChunk["modules"]): boolean {
  let [own, others] = [0, 0];
  for (const [id, { renderedLength }] of Object.entries(modules)) {
    if (id.includes("/node_modules/")) others += renderedLength;
    else own += renderedLength;
  }
  return others > own;
}

/** Returns the folder of the package that a path below `node_modules` belongs to. */
function nameOfPackage(path: string): string {
  return /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path;
}

/** Adds the license of every package with code in the bundle, as these licenses require. */
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
      // Many packages have the same text, which is written only once.
      const byText = Map.groupBy([...new Set(folders)].toSorted(), readLicense);
      const texts = Array.from(byText, ([text, sharing]) => {
        return `${sharing.map((folder) => relative(root, folder)).join("\n")}\n\n${text}\n`;
      });
      this.emitFile({ type: "asset", fileName: "licenses.txt", source: texts.join("\n\n") });
    },
  };
}

/** Returns the text of a package's license, or else its name if a package of the same authors has the text. */
function readLicense(folder: string): string {
  const [file] = globSync("{LICENSE,LICENCE,license}*", { cwd: folder });
  if (file !== undefined) return readFileSync(join(folder, file), "utf8").trim();
  const { license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    license?: string;
  };
  if (license === undefined) throw new Error(`There is no license in ${folder}.`);
  return `License: ${license}`;
}

function withoutExtension(path: string): string {
  return path.replace(/\.ts$/, "");
}
