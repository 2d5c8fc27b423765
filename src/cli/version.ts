import { readFileSync } from "node:fs";

/** The version of Cadre; its file lies two folders up from the sources and from the build. */
export function readVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  return version;
}
