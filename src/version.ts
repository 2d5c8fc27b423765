import { readFileSync } from "node:fs";

/** Returns the version of Cadre from `package.json`, one folder above the sources and the build. */
export function readVersion(): string {
  const file = new URL("../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  return version;
}
