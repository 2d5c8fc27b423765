import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./command-line.ts";

interface LockedPackage {
  readonly version: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

it("The lock file names the bindings of every machine, without which `npm ci` refuses it", () => {
  const text = readFileSync(join(root, "package-lock.json"), "utf8");
  const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> };
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => {
      const places = [`${path}/node_modules/${name}`, `node_modules/${name}`];
      return !places.some((place) => place in packages);
    }),
  );
  expect(missing).toEqual([]);
});
