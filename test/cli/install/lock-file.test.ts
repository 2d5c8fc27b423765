import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../command-line.ts";

interface LockedPackage {
  readonly version: string;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

describe.each(["package-lock.json", "bench/peers/package-lock.json"])("%s", (path) => {
  const text = readFileSync(join(root, path), "utf8");
  const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> };

  it("names the bindings of every machine, without which `npm ci` refuses it", () => {
    const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => {
        const places = [`${place}/node_modules/${name}`, `node_modules/${name}`];
        return !places.some((one) => one in packages);
      }),
    );
    expect(missing).toEqual([]);
  });

  it("names no registry: that of the user's configuration is asked", () => {
    const resolved = Object.values(packages).filter((one) => one.resolved !== undefined);
    expect(resolved).toEqual([]);
  });
});
