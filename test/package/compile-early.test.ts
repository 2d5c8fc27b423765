import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const dist = join(import.meta.dirname, "../../dist");

function readChunk(name: string): string {
  const [file] = globSync(`chunk/${name}-????????.js`, { cwd: dist });
  return readFileSync(join(dist, file ?? ""), "utf8");
}

// Node's compile cache holds only what V8 compiles with its file.
describe("in the package, V8 compiles", () => {
  test.each([
    ["library", "buildCadre"],
    ["engine", "createServices"],
    ["engine", "runAgent"],
    ["run-command", "conductRuns"],
  ])("functions of starts with their file: in the chunk %s %s", (chunk, name) => {
    expect(readChunk(chunk)).toContain(`var ${name} = (async function ${name}(`);
  });

  test("functions that no start calls when they are called", () => {
    expect(readChunk("library")).toMatch(
      /^(?:async )?function endRun\(|^async function [a-z]\w*\(/m,
    );
  });
});
