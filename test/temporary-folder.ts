import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where tests make their temporary folders: tests that forget to remove one, or are killed, leave nothing behind. */
export const temporaryFolder: string = join(tmpdir(), `cadre-test-${process.pid}`);

/** Makes the folder. */
export function setup(): void {
  mkdirSync(temporaryFolder, { recursive: true, mode: 0o700 });
}

/** Removes it. */
export function teardown(): void {
  rmSync(temporaryFolder, { recursive: true, force: true });
}
