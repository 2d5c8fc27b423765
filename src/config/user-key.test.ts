import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/fixtures/tool-call.ts";
import { readUserKey } from "./user-key.ts";

test("a random key is created once, readable by its owner only", () => {
  const folder = join(temporaryFolder(), "state", "cadre");
  const key = readUserKey(folder);
  expect(key).toHaveLength(32);
  expect(readUserKey(folder)).toEqual(key);
  expect(readUserKey(join(temporaryFolder(), "another"))).not.toEqual(key);
  expect(statSync(join(folder, "approval-key")).mode & 0o077).toBe(0);
  expect(statSync(folder).mode & 0o077).toBe(0);
  expect(readdirSync(folder)).toEqual(["approval-key"]);
});

test("a damaged key is kept, and the message says what to do", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "approval-key"), "short");
  expect(() => readUserKey(folder)).toThrow(/hexadecimal digits.* Delete it/);
  expect(readFileSync(join(folder, "approval-key"), "utf8")).toBe("short");
});

test("a key that cannot be created is an error that names the file", () => {
  const folder = join(temporaryFolder(), "file");
  writeFileSync(folder, "");
  expect(() => readUserKey(folder)).toThrow(`${folder}/approval-key cannot be read or created`);
});
