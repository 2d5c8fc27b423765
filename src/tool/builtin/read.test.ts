import { execFileSync } from "node:child_process";
import {
  ftruncateSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
  closeSync,
  writeSync,
  mkdirSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createToolFixture, type ToolFixture } from "../../../test/fixtures/tool-call.ts";
import { createReadTool } from "./read.ts";
import { sha256 } from "../path/regular-file.ts";

/** The bytes this process has read so far, according to the kernel. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

const read = createReadTool();

function write(fixture: ToolFixture, name: string, content: string | Buffer): string {
  const path = join(fixture.workspace, name);
  writeFileSync(path, content);
  return path;
}

test("reads lines with their numbers and reports the hash of the whole file", async () => {
  const fixture = createToolFixture();
  const path = write(fixture, "a.txt", "one\ntwo\nthree\n");
  const outcome = await fixture.call(read, { file_path: "a.txt", offset: 2, limit: 1 });
  expect(outcome.text).toBe("     2\ttwo\n\n[Lines 2-2 of 3. Continue with offset=3.]");
  expect(outcome.files).toEqual([{ path, hash: sha256("one\ntwo\nthree\n"), change: "read" }]);
});

test("drops a byte order mark and carriage returns, and shows NUL characters as a symbol", async () => {
  const fixture = createToolFixture();
  write(fixture, "a.txt", `\uFEFFone\r\n${"x".repeat(9000)}\0`);
  const { text } = await fixture.call(read, { file_path: "a.txt" });
  expect(text.split("\n")[0]).toBe("     1\tone");
  expect(text).toContain("[line cut; it has 9001 bytes]");
});

test("keeps the valid parts of a file that is not UTF-8", async () => {
  const fixture = createToolFixture();
  write(fixture, "a.txt", Buffer.from([0x61, 0xff, 0x62]));
  expect((await fixture.call(read, { file_path: "a.txt" })).text).toBe("     1\ta\uFFFDb");
});

test("reports an empty file", async () => {
  const fixture = createToolFixture();
  write(fixture, "a.txt", "");
  const outcome = await fixture.call(read, { file_path: "a.txt" });
  expect(outcome.text).toContain("is empty");
  expect(outcome.isError).toBeUndefined();
});

test("reports the number of lines for an offset past the end", async () => {
  const fixture = createToolFixture();
  write(fixture, "a.txt", "one\ntwo");
  const { text, isError } = await fixture.call(read, { file_path: "a.txt", offset: 9 });
  expect(isError).toBe(true);
  expect(text).toContain("has 2 lines");
});

test("stops before the output grows too long and gives the next offset", async () => {
  const fixture = createToolFixture();
  write(fixture, "a.txt", `${"x".repeat(99)}\n`.repeat(2000));
  const { text } = await fixture.call(read, { file_path: "a.txt" });
  expect(text.length).toBeLessThan(30_000);
  const next = Number(/offset=(\d+)/.exec(text)?.[1]);
  expect((await fixture.call(read, { file_path: "a.txt", offset: next, limit: 1 })).text).toContain(
    `${next}\tx`,
  );
});

test("reads the beginning of a file of 3 GB without reading the rest", async () => {
  const fixture = createToolFixture();
  const file = openSync(join(fixture.workspace, "huge.txt"), "w");
  writeSync(file, "first\nsecond\n".repeat(2000));
  ftruncateSync(file, 3_000_000_000);
  closeSync(file);
  const before = bytesRead();
  const outcome = await fixture.call(read, { file_path: "huge.txt", limit: 2 });
  // Files up to 20 MiB are tracked and read to the end.
  expect(bytesRead() - before).toBeLessThan(30_000_000);
  expect(outcome.text).toContain("     2\tsecond");
  expect(outcome.text).toContain("of a large file");
  expect(outcome.files).toBeUndefined();
});

test("reads a file of one line of 100 MB in little memory", async () => {
  const fixture = createToolFixture();
  const file = openSync(join(fixture.workspace, "line.txt"), "w");
  const piece = Buffer.alloc(10_000_000, "x");
  for (let count = 0; count < 10; count += 1) writeSync(file, piece);
  closeSync(file);
  const before = process.memoryUsage().rss;
  const { text } = await fixture.call(read, { file_path: "line.txt" });
  expect(text.length).toBeLessThan(3000);
  expect(text).toContain("100000000 bytes");
  expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000);
});

test.each([
  ["png", "89504e470d0a1a0a00", "image/png"],
  ["jpeg", "ffd8ffe000", "image/jpeg"],
  ["gif", "47494638396100", "image/gif"],
  ["webp", "52494646000000005745425000", "image/webp"],
])("detects a %s by its content, not its name", async (_, hex, mediaType) => {
  const fixture = createToolFixture();
  write(fixture, "picture.txt", Buffer.from(hex, "hex"));
  const { images } = await fixture.call(read, { file_path: "picture.txt" });
  expect(images).toEqual([{ mediaType, data: Buffer.from(hex, "hex").toString("base64") }]);
});

test("refuses an image too large for providers", async () => {
  const fixture = createToolFixture();
  write(
    fixture,
    "big.png",
    Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(6_000_000)]),
  );
  expect((await fixture.call(read, { file_path: "big.png" })).text).toContain("at most 5242880");
});

test("refuses binary files and explains how to convert UTF-16", async () => {
  const fixture = createToolFixture();
  write(fixture, "a.bin", Buffer.from([1, 0, 2]));
  write(fixture, "wide.txt", Buffer.from("\uFEFFhi", "utf16le"));
  expect((await fixture.call(read, { file_path: "a.bin" })).text).toContain("binary file");
  expect((await fixture.call(read, { file_path: "wide.txt" })).text).toContain("iconv");
});

test("does not block on a named pipe, and refuses folders and devices", async () => {
  const fixture = createToolFixture();
  execFileSync("mkfifo", [join(fixture.workspace, "pipe")]);
  mkdirSync(join(fixture.workspace, "folder"));
  symlinkSync("/dev/zero", join(fixture.workspace, "zero"));
  expect((await fixture.call(read, { file_path: "pipe" })).text).toContain("a named pipe");
  expect((await fixture.call(read, { file_path: "folder" })).text).toContain("Use LS");
  expect((await fixture.call(read, { file_path: "zero" })).text).toContain("outside the workspace");
});

test("suggests similar names for a missing file", async () => {
  const fixture = createToolFixture();
  write(fixture, "config.ts", "");
  expect((await fixture.call(read, { file_path: "Config.js" })).text).toContain(
    "Near it: config.ts",
  );
});

test("reads the run's stored outputs and nothing else outside the workspace", async () => {
  const fixture = createToolFixture();
  mkdirSync(fixture.outputFolder, { recursive: true });
  const stored = join(fixture.outputFolder, "x.txt");
  writeFileSync(stored, "stored");
  expect((await fixture.call(read, { file_path: stored })).text).toContain("stored");
  const { text } = await fixture.call(read, { file_path: "/etc/passwd" });
  expect(text).toContain(`outside the workspace ${fixture.workspace}`);
});

test("names the invalid argument", async () => {
  const fixture = createToolFixture();
  expect((await fixture.call(read, { file_path: "a\0b" })).text).toContain(
    "file_path: expected a path without NUL",
  );
  expect((await fixture.call(read, { path: "a" })).text).toContain("file_path");
});
