import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emitDeclarations } from "./emit-declarations.ts";
import { type EntryPoint, readEntryPoints } from "./read-entry-points.ts";
import { renderPages } from "./render-page.ts";
import { findOtherTypes, renderTypes } from "./render-types.ts";

/** `npm run api`: writes `src/types.ts` and the reference of all entry points in `docs/api`. */
const root = join(import.meta.dirname, "../..");
const folder = join(root, "docs/api");
const isChanged = writeTypes(await readEntries());
const pages = renderPages(await readEntries());
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const { file, text } of pages) writeFileSync(join(folder, file), text);
if (isChanged) console.log("src/types.ts has changed: other types appear in signatures.");

async function readEntries(): Promise<EntryPoint[]> {
  using declarations = await emitDeclarations();
  return readEntryPoints(declarations);
}

/** Writes the types. Reports whether the file changed. */
function writeTypes(entries: readonly EntryPoint[]): boolean {
  const path = join(root, "src/types.ts");
  const before = readFileSync(path, "utf8");
  writeFileSync(path, renderTypes(findOtherTypes(entries)));
  execFileSync(join(root, "node_modules/.bin/oxfmt"), [path], { stdio: "ignore" });
  return readFileSync(path, "utf8") !== before;
}
