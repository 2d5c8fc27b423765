import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emitDeclarations } from "./emit-declarations.ts";
import { readEntryPoints } from "./read-entry-points.ts";
import { renderPages } from "./render-page.ts";

/** `npm run api`: writes the reference of all entry points to `docs/api`. */
const folder = join(import.meta.dirname, "../../docs/api");
using declarations = await emitDeclarations();
const pages = renderPages(readEntryPoints(declarations));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const { file, text } of pages) writeFileSync(join(folder, file), text);
