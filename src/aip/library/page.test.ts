import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { modules } from "../worker/modules.ts";

test("the documentation of .aip agents lists every function", () => {
  const page = readFileSync(new URL("../../../docs/aip.md", import.meta.url), "utf8");
  for (const [module, functions] of Object.entries(modules)) {
    expect(page).toContain(`aip.${module}`);
    for (const name of Object.keys(functions)) {
      const plain = name.replace(/(?<=sha256|sha512|blake3|new_v\d)_b(?:64|58)u?$/, "");
      expect(page).toContain(`\`${plain}\``);
    }
  }
});
