import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { migrations } from "../../src/registry/sqlite/schema.ts";
import type { Random } from "./random-family/random.ts";

/** A way to damage the registry at `path`. */
export interface Damage {
  name: string;
  /** The expected error message. `isFatal` means that there must be an error. */
  cause: RegExp;
  isFatal?: boolean;
  apply: (path: string, random: Random) => void;
}

const damagedCause = /is damaged|is not an SQLite database, or its beginning is damaged/;

/** All ways to damage a registry. */
export const damages: readonly Damage[] = [
  {
    name: "cut off",
    cause: damagedCause,
    apply: (path, random) => truncateSync(path, 1 + random.below(sizeOf(path) - 1)),
  },
  {
    name: "cut off within its first page",
    cause: damagedCause,
    isFatal: true,
    apply: (path, random) => truncateSync(path, 1 + random.below(4000)),
  },
  { name: "pages of zeros", cause: damagedCause, apply: zeroPages },
  {
    name: "flipped bytes in the header",
    // The damaged part also contains the version of the schema.
    cause: /is damaged|is not an SQLite database|schema version|is an SQLite database, but not/,
    apply: (path, random) => flip(path, { from: 0, to: 100, count: 3 }, random),
  },
  {
    name: "flipped bytes in the schema",
    cause: damagedCause,
    apply: (path, random) => flip(path, { from: 100, to: 4096, count: 20 }, random),
  },
  {
    name: "flipped bytes in a page",
    cause: damagedCause,
    apply: (path, random) =>
      flip(path, { from: 4096, to: sizeOf(path), count: 1 + random.below(200) }, random),
  },
  {
    name: "overwritten pages",
    cause: damagedCause,
    apply(path, random) {
      const bytes = Buffer.alloc(4096, 0xaa);
      for (const page of somePages(path, random)) writeAt(path, page * 4096, bytes);
    },
  },
  replaced("a text", Buffer.from("notes of mine\n".repeat(500)), damagedCause),
  replaced("gzip", gzipSync("x".repeat(10_000)), damagedCause),
  replaced("a program", Buffer.from("\u007FELF".padEnd(9000, "\0")), damagedCause),
  {
    name: "a folder",
    cause: /is a folder; expected a file/,
    isFatal: true,
    apply(path) {
      rmSync(path);
      mkdirSync(path);
    },
  },
  {
    name: "a pipe",
    cause: /is not a regular file/,
    isFatal: true,
    apply(path) {
      rmSync(path);
      execFileSync("mkfifo", [path]);
    },
  },
  {
    name: "a missing table",
    cause: /is damaged.*there is no table/,
    isFatal: true,
    apply: (path, random) =>
      execute(path, `DROP TABLE ${["runs", "events", "cache", "owners"][random.below(4)]}`),
  },
  {
    name: "a lost version",
    cause: /is damaged.*its schema version is/,
    isFatal: true,
    apply: (path, random) =>
      execute(path, `PRAGMA user_version = ${random.below(2) < 1 ? 0 : 67_108_868}`),
  },
  {
    name: "a newer version",
    cause: /schema version \d+; this Cadre reads up to/,
    isFatal: true,
    apply: (path, random) =>
      execute(path, `PRAGMA user_version = ${migrations.length + 1 + random.below(50)}`),
  },
  {
    name: "an earlier version than its tables",
    cause: /is damaged/,
    isFatal: true,
    apply: (path, random) => execute(path, `PRAGMA user_version = ${1 + random.below(3)}`),
  },
  {
    name: "the log of another database",
    cause: /the log .*cadre\.db-wal belongs to another database|is damaged/,
    apply: writeForeignLog,
  },
  {
    name: "wrong JSON",
    cause: /is damaged/,
    isFatal: true,
    apply: (path, random) =>
      execute(
        path,
        `UPDATE runs SET state = substr(state, 1, ${1 + random.below(200)}) WHERE parent_id IS NULL`,
      ),
  },
  {
    name: "no permission",
    cause: /may not be read|cannot be opened/,
    isFatal: true,
    apply: (path) => chmodSync(path, 0o000),
  },
];

function replaced(name: string, bytes: Buffer, cause: RegExp): Damage {
  return { name, cause, isFatal: true, apply: (path) => writeFileSync(path, bytes) };
}

function sizeOf(path: string): number {
  const file = openSync(path, "r");
  try {
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

function writeAt(path: string, position: number, bytes: Uint8Array): void {
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, bytes.length, position);
  closeSync(file);
}

function somePages(path: string, random: Random): number[] {
  const pages = sizeOf(path) / 4096;
  return Array.from({ length: 1 + random.below(5) }, () => random.below(pages));
}

function zeroPages(path: string, random: Random): void {
  for (const page of somePages(path, random)) writeAt(path, page * 4096, Buffer.alloc(4096));
}

function flip(
  path: string,
  { from, to, count }: { from: number; to: number; count: number },
  random: Random,
): void {
  for (let flipped = 0; flipped < count; flipped += 1) {
    const position = from + random.below(to - from);
    const byte = Buffer.alloc(1);
    const file = openSync(path, "r+");
    readSync(file, byte, 0, 1, position);
    byte[0] = (byte[0] ?? 0) ^ (1 << random.below(8));
    writeSync(file, byte, 0, 1, position);
    closeSync(file);
  }
}

function execute(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

/** Writes a log that was never moved into the database, like one that a killed process leaves. */
function writeForeignLog(path: string, random: Random): void {
  const other = `${path}.other`;
  const database = new DatabaseSync(other);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;");
  database.exec("CREATE TABLE songs (title TEXT)");
  const insert = database.prepare("INSERT INTO songs VALUES (?)");
  for (let song = 0; song <= 1 + random.below(200); song += 1) insert.run("la ".repeat(100));
  copyFileSync(`${other}-wal`, `${path}-wal`);
  database.close();
  rmSync(other);
}
