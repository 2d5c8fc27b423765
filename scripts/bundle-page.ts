import { cpSync } from "node:fs";
import { join } from "node:path";
import { type Plugin, rolldown } from "rolldown";

const source = join(import.meta.dirname, "..", "page");

/** Bundles the page of `cadre serve` into `folder`: one script, one style sheet and the document. */
export async function bundlePage(folder: string, licenses: Plugin): Promise<void> {
  const build = await rolldown({
    input: { page: join(source, "main.tsx") },
    platform: "browser",
    transform: { jsx: "react-jsx", define: { "process.env.NODE_ENV": '"production"' } },
    plugins: [licenses],
    // Libraries mark modules that servers must not render.
    checks: { moduleLevelDirective: false },
  });
  await build.write({
    dir: folder,
    entryFileNames: "[name].js",
    codeSplitting: false,
    minify: true,
    comments: false,
  });
  for (const name of ["index.html", "page.css"]) cpSync(join(source, name), join(folder, name));
}
