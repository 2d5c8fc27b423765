import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { openRegistry } from "./sqlite-registry.ts";

describe("a file that is not a registry of this version", () => {
  const cases: { name: string; write: (path: string) => void; message: RegExp; code?: string }[] = [
    {
      name: "a text",
      write: (path) => writeFileSync(path, "hello, I am a text\n".repeat(100)),
      message: /is not an SQLite database, or its beginning is damaged.*It is unchanged/,
    },
    {
      name: "the database of somebody else",
      write: (path) => execute(path, "CREATE TABLE songs (title TEXT)"),
      message: /not one of Cadre's/,
    },
    {
      name: "the registry of a later version",
      write: (path) => execute(path, "CREATE TABLE runs (id TEXT); PRAGMA user_version = 99"),
      message: /schema version 99; this Cadre reads up to/,
      code: "registry-newer",
    },
    {
      name: "a registry with the wrong columns",
      write(path) {
        const tables = ["runs", "events", "definitions", "owners", "requests", "cache"];
        const create = tables.map((table) => `CREATE TABLE ${table} (id TEXT);`).join("");
        execute(path, `${create} PRAGMA user_version = 5`);
      },
      message: /is damaged.*no such column/,
    },
    {
      name: "a registry without one of its tables",
      write(path) {
        openRegistry({ path })
          .close()
          .catch(() => undefined);
        execute(path, "DROP TABLE events");
      },
      message: /is damaged.*there is no table events/,
    },
    {
      name: "a registry that has lost its version",
      write(path) {
        openRegistry({ path })
          .close()
          .catch(() => undefined);
        execute(path, "PRAGMA user_version = 0");
      },
      message: /is damaged.*its schema version is 0/,
    },
    {
      name: "an empty file beside what belongs into it",
      write(path) {
        writeFileSync(path, "");
        writeFileSync(`${path}-wal`, "frames");
      },
      message: /is damaged.*the file is empty/,
    },
    {
      name: "a folder",
      write: (path) => mkdirSync(path),
      message: /is a folder; expected a file/,
    },
    {
      name: "a pipe",
      write: (path) => void execFileSync("mkfifo", [path]),
      message: /is not a regular file/,
    },
    {
      name: "a database whose pages are overwritten",
      write(path) {
        execute(path, "CREATE TABLE runs (id TEXT); PRAGMA user_version = 1");
        const bytes = readFileSync(path);
        bytes.fill(0xaa, 100);
        writeFileSync(path, bytes);
      },
      message: /is damaged.*\(database disk image is malformed\)/,
    },
  ];

  test.each(cases)("$name is refused with a clear message", ({ write, message, code }) => {
    const path = join(temporaryFolder(), "cadre.db");
    write(path);
    expect(() => openRegistry({ path })).toThrow(
      expect.objectContaining({ code: code ?? "registry-unavailable" }),
    );
    expect(() => openRegistry({ path })).toThrow(message);
    expect(() => openRegistry({ path })).toThrow(path);
  });

  test.each(cases.slice(0, 3))("$name is left byte for byte as it was", ({ write }) => {
    const path = join(temporaryFolder(), "cadre.db");
    write(path);
    const before = readFileSync(path);
    expect(() => openRegistry({ path })).toThrow();
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(dirname(path)).toSorted()).toEqual(["cadre.db"]);
  });

  test("a registry that cannot be opened leaves no file open", () => {
    const path = join(temporaryFolder(), "cadre.db");
    execute(path, "CREATE TABLE runs (id TEXT); PRAGMA user_version = 1");
    const count = (): number => readdirSync("/proc/self/fd").length;
    const before = count();
    for (let tries = 0; tries < 20; tries += 1) expect(() => openRegistry({ path })).toThrow();
    expect(count()).toBeLessThan(before + 10);
  });
});

function execute(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}
