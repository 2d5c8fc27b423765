import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the hash of the page's sources. A test uses it to find out whether the pictures in `docs` are older than the sources. */
export function hashPage(): string {
  const folder = join(import.meta.dirname, "..", "page");
  const hash = createHash("sha256");
  const paths = globSync("**/*.{ts,tsx,css,html}", { cwd: folder });
  for (const path of paths.filter((one) => !one.endsWith(".test.ts")).toSorted()) {
    hash
      .update(path)
      .update("\0")
      .update(readFileSync(join(folder, path)))
      .update("\0");
  }
  return hash.digest("hex");
}
