import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeUnknownVariables, environmentSettings } from "./environment-variables.ts";

const source = join(import.meta.dirname, "..");

/** Returns the variables of Cadre that files below `folder` name. */
function namedIn(folder: string, pattern: string): string[] {
  const files = globSync(pattern, { cwd: folder }).filter(
    (path) => !/\.test\.ts$|environment-variables/.test(path),
  );
  const names = files.flatMap(
    (path) => readFileSync(join(folder, path), "utf8").match(/\bCADRE_[A-Z_]+/g) ?? [],
  );
  return [...new Set(names)].toSorted();
}

describe("a variable whose name begins with CADRE_", () => {
  test("is known exactly when the sources read or set it, and is documented", () => {
    const names = namedIn(source, "**/*.{ts,pl}");
    expect(names.length).toBeGreaterThan(8);
    const environment = Object.fromEntries(names.map((name) => [name, "x"]));
    expect(describeUnknownVariables(environment)).toEqual([]);
    const [text = ""] = describeUnknownVariables({ CADRE_UNHEARD_OF: "x" });
    const told = text.match(/CADRE_(?!UNHEARD_OF)[A-Z_]+/g) ?? [];
    expect([...Object.keys(environmentSettings), ...names]).toEqual(expect.arrayContaining(told));
    expect(namedIn(join(source, "..", "docs"), "*.md")).toEqual(expect.arrayContaining(told));
  });

  test("is reported when Cadre does not know it, with the nearest name or all names", () => {
    const environment = {
      PATH: "/bin",
      CADRE_MODLE: "haiku",
      CADRE_HOEM: "/tmp",
      CADRE_MODEL: "x",
    };
    const [model, home, ...others] = describeUnknownVariables(environment);
    expect(model).toBe(
      "Cadre does not know the environment variable CADRE_MODLE, so it has no effect. Did you mean CADRE_MODEL?",
    );
    expect(home).toMatch(
      /CADRE_HOEM, so it has no effect. It knows CADRE_MODEL, CADRE_MODE, .*CADRE_DEBUG/,
    );
    expect(home).not.toContain("CADRE_OWNER");
    expect(others).toEqual([]);
  });

  test("is not reported when the configuration names it", () => {
    expect(describeUnknownVariables({ CADRE_OWN: "x" }, '{"token":"${CADRE_OWN}"}')).toEqual([]);
  });
});
