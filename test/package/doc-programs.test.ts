import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { compilePrograms } from "./framework-program.ts";

const root = join(import.meta.dirname, "../..");
const beginning = 'import { createCadre } from "cadre";\n';

test("the programs of docs/models.md and docs/telemetry.md compile with the packages they import", async () => {
  const files = ["models", "telemetry"].flatMap((name) => {
    const page = readFileSync(join(root, `docs/${name}.md`), "utf8");
    return Array.from(page.matchAll(/^```ts\n(.*?)^```$/gms), ([, code = ""], index) => {
      const file = `docs-${name}-${index}.mts`;
      const program = code.includes(beginning) ? code : `${beginning}${code}`;
      writeFileSync(join(inject("frameworks"), file), program);
      return file;
    });
  });
  expect(files.length).toBeGreaterThanOrEqual(3);
  await compilePrograms({ files, skipLibCheck: true });
}, 300_000);
