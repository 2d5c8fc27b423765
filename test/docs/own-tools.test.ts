import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../fixtures/tool-call.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/own-tools.md"), "utf8");

test("docs/own-tools.md shows a program that works", async () => {
  const [, code = ""] = /^```ts\n(.*?)^```$/ms.exec(page) ?? [];
  const cadre = pathToFileURL(join(root, "src/index.ts")).href;
  const program = code
    .replace('from "cadre"', `from "${cadre}"`)
    .replace('from "zod"', `from "${import.meta.resolve("zod")}"`)
    .replace("createCadre({", `createCadre({ cwd: import.meta.dirname, home: import.meta.dirname,`);
  const path = join(temporaryFolder(), "program.ts");
  writeFileSync(path, program);
  await expect(import(pathToFileURL(path).href)).resolves.toBeDefined();
});
