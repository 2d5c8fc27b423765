import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { createTrust, type Trust } from "./trust.ts";

let base = "";
let trust: Trust;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "cadre-trust-")));
  mkdirSync(join(base, "project", "deep"), { recursive: true });
  mkdirSync(join(base, "project-two"));
  trust = createTrust({ home: base, environment: {} });
});

function listFile(): string {
  return join(base, ".local", "state", "cadre", "trusted.json");
}

/** Writes a list to the path that earlier versions used. */
function writeOldList(text: string): string {
  const file = join(base, ".cadre", "trusted.json");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

test("the list of an earlier version is moved once, and only if there is no new list", () => {
  const old = writeOldList(JSON.stringify([join(base, "project")]));
  const user = { home: base, environment: {} };
  expect(createTrust(user).list()).toEqual([join(base, "project")]);
  expect(existsSync(old)).toBe(false);
  expect(JSON.parse(readFileSync(listFile(), "utf8"))).toEqual([join(base, "project")]);
  expect(statSync(listFile()).mode & 0o077).toBe(0);
  writeOldList(JSON.stringify([join(base, "project-two")]));
  expect(createTrust(user).list()).toEqual([join(base, "project")]);
});

test("a list that cannot be moved is used where it is", () => {
  writeOldList(JSON.stringify([join(base, "project")]));
  // A file cannot contain other files.
  writeFileSync(join(base, "file"), "");
  const environment = { XDG_STATE_HOME: join(base, "file") };
  expect(createTrust({ home: base, environment }).isTrusted(join(base, "project"))).toBe(true);
});

test("nothing is trusted at first", () => {
  expect(trust.isTrusted(join(base, "project"))).toBe(false);
  expect(trust.list()).toEqual([]);
});

test("a trusted folder covers the folders below it, and no folder whose name has the same beginning", () => {
  expect(trust.trust(join(base, "project"))).toBe(join(base, "project"));
  trust.trust(join(base, "project"));
  expect(trust.list()).toEqual([join(base, "project")]);
  expect(trust.isTrusted(join(base, "project"))).toBe(true);
  expect(trust.isTrusted(join(base, "project", "deep", "not-there-yet.ts"))).toBe(true);
  expect(trust.isTrusted(join(base, "project-two"))).toBe(false);
  expect(trust.isTrusted(join(base, "project", "..", "project-two"))).toBe(false);
  expect(trust.isTrusted(base)).toBe(false);
});

test("the list is readable by this user only, and another process sees it", () => {
  trust.trust(join(base, "project"));
  const file = listFile();
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual([join(base, "project")]);
  expect(statSync(file).mode & 0o077).toBe(0);
  expect(statSync(dirname(file)).mode & 0o077).toBe(0);
  expect(createTrust({ home: base, environment: {} }).isTrusted(join(base, "project"))).toBe(true);
});

test("trust applies to the real folder, not to a link to it", () => {
  symlinkSync(join(base, "project"), join(base, "link"));
  expect(trust.trust(join(base, "link"))).toBe(join(base, "project"));
  expect(trust.isTrusted(join(base, "link", "deep"))).toBe(true);
  symlinkSync(join(base, "project-two"), join(base, "project", "out"));
  expect(trust.isTrusted(join(base, "project", "out"))).toBe(false);
});

test("a link that replaces a trusted folder is not trusted", () => {
  trust.trust(join(base, "project"));
  renameSync(join(base, "project"), join(base, "moved"));
  symlinkSync(join(base, "project-two"), join(base, "project"));
  expect(trust.isTrusted(join(base, "project"))).toBe(false);
});

test("only an existing folder can be trusted", () => {
  expect(() => trust.trust(join(base, "missing"))).toThrow("Expected a folder to trust");
});

test.each(["{", '{"a":1}', "[1]", '["relative/path"]'])(
  "a list that reads %s is refused by name",
  (text) => {
    const file = listFile();
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    expect(() => trust.isTrusted(base)).toThrow(file);
    expect(() => trust.trust(base)).toThrow(file);
    expect(readFileSync(file, "utf8")).toBe(text);
  },
);

test("a list that cannot be written is an error that says what to set", () => {
  writeFileSync(join(base, "file"), "");
  const environment = { XDG_STATE_HOME: join(base, "file") };
  const blocked = createTrust({ home: base, environment });
  expect(() => blocked.trust(join(base, "project"))).toThrow(/Expected to write .*XDG_STATE_HOME/);
  const nowhere = createTrust({ home: join(base, "nobody"), environment: {} });
  expect(() => nowhere.trust(join(base, "project"))).toThrow(/to exist.*Set HOME/);
  expect(existsSync(join(base, "nobody"))).toBe(false);
});
