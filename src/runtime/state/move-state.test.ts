import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createSpec } from "../../../test/fixtures/run-spec.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { openRegistry } from "../../registry/sqlite/sqlite-registry.ts";
import { moveState } from "./move-state.ts";

const script = fileURLToPath(
  new URL("../../../test/fixtures/process/move-state-process.ts", import.meta.url),
);

/** A registry with one run, and an output; and its destination. */
async function createFixture(root = temporaryFolder()): Promise<{ from: string; to: string }> {
  const from = join(root, ".cadre", "state");
  const registry = openRegistry({ path: join(from, "cadre.db") });
  registry.append("r", { type: "run-created", spec: createSpec("r") });
  await registry.close();
  mkdirSync(join(from, "outputs", "r"), { recursive: true });
  writeFileSync(join(from, "outputs", "r", "1.txt"), "long");
  return { from, to: join(root, "home", "projects", "x-1") };
}

async function runsIn(folder: string): Promise<string[]> {
  const registry = openRegistry({ path: join(folder, "cadre.db") });
  const runs = await registry.runs();
  await registry.close();
  return runs.map(({ id }) => id);
}

test("moves the journal and its files, readable by this user only", async () => {
  const { from, to } = await createFixture();
  expect(moveState(from, to)).toEqual({ skipped: 0, left: [] });
  expect(existsSync(from)).toBe(false);
  expect(await runsIn(to)).toEqual(["r"]);
  expect(readFileSync(join(to, "outputs", "r", "1.txt"), "utf8")).toBe("long");
  expect(statSync(to).mode & 0o077).toBe(0);
  expect(statSync(join(to, "..")).mode & 0o077).toBe(0);
});

test("includes the last writes of a killed process", async () => {
  const { from, to } = await createFixture();
  // The last writes are in the write-ahead log while the file is open, and after a kill.
  const database = new DatabaseSync(join(from, "cadre.db"));
  database.exec("UPDATE runs SET label = 'late'");
  const ahead = ["cadre.db", "cadre.db-wal"].map((name) => readFileSync(join(from, name)));
  database.close();
  ["cadre.db", "cadre.db-wal"].forEach((name, index) =>
    writeFileSync(join(from, name), ahead[index] ?? ""),
  );
  moveState(from, to);
  const moved = new DatabaseSync(join(to, "cadre.db"));
  expect(moved.prepare("SELECT label FROM runs").get()).toEqual({ label: "late" });
  moved.close();
});

test("leaves links and special files, and follows none", async () => {
  const { from, to } = await createFixture();
  const outside = temporaryFolder();
  writeFileSync(join(outside, "mine"), "precious");
  symlinkSync(outside, join(from, "outputs", "link"));
  symlinkSync(outside, join(from, "extensions"));
  expect(moveState(from, to)).toEqual({ skipped: 2, left: [] });
  expect(readdirSync(to).toSorted()).toEqual(["cadre.db", "outputs"]);
  expect(readdirSync(join(to, "outputs"))).toEqual(["r"]);
  expect(readFileSync(join(outside, "mine"), "utf8")).toBe("precious");
});

test("leaves worktrees where git knows them", async () => {
  const { from, to } = await createFixture();
  mkdirSync(join(from, "worktrees", "r"), { recursive: true });
  expect(moveState(from, to)).toEqual({ skipped: 0, left: ["worktrees"] });
  expect(readdirSync(from).toSorted()).toEqual([".gitignore", "worktrees"]);
  expect(await runsIn(to)).toEqual(["r"]);
});

test("moves nothing while the registry is open elsewhere", { timeout: 60_000 }, async () => {
  const { from, to } = await createFixture();
  const registry = openRegistry({ path: join(from, "cadre.db") });
  onTestFinished(() => registry.close());
  expect(() => moveState(from, to)).toThrow(/Another process has the registry .* open/);
  expect(existsSync(to)).toBe(false);
  expect(await registry.runs()).toHaveLength(1);
});

test("moves nothing that a process on another machine uses", async () => {
  const { from, to } = await createFixture();
  const database = new DatabaseSync(join(from, "cadre.db"));
  database.prepare("INSERT INTO owners VALUES ('o', 'elsewhere', 1, '', ?)").run(Date.now());
  database.close();
  expect(() => moveState(from, to)).toThrow(/process 1 on elsewhere owns runs/);
  expect(existsSync(to)).toBe(false);
});

test("moves nothing over existing files, and nothing that is damaged", async () => {
  const { from, to } = await createFixture();
  mkdirSync(join(to, "something"), { recursive: true });
  expect(() => moveState(from, to)).toThrow(/ENOTEMPTY/);
  expect(readdirSync(join(to, ".."))).toEqual(["x-1"]);
  expect(await runsIn(from)).toEqual(["r"]);
  rmSync(to, { recursive: true });
  writeFileSync(join(from, "cadre.db"), "no database at all, but long enough".repeat(50));
  expect(() => moveState(from, to)).toThrow(/is not an SQLite database/);
  expect(existsSync(to)).toBe(false);
});

const otherFileSystem = ["/dev/shm", "/tmp"].find(
  (folder) => existsSync(folder) && statSync(folder).dev !== statSync(tmpdir()).dev,
);

test.runIf(otherFileSystem)("moves to another file system", async () => {
  const { from } = await createFixture();
  const other = mkdtempSync(`${otherFileSystem}/cadre-state-`);
  onTestFinished(() => rmSync(other, { recursive: true, force: true }));
  expect(statSync(other).dev).not.toBe(statSync(from).dev);
  moveState(from, join(other, "x"));
  expect(await runsIn(join(other, "x"))).toEqual(["r"]);
});

test("a kill at any moment loses nothing, and no partial copy is used", async () => {
  const root = temporaryFolder();
  const { from, to } = await createFixture(root);
  const files = 100;
  for (let file = 0; file < files; file += 1) {
    writeFileSync(join(from, "outputs", "r", `more-${file}.txt`), "x".repeat(1000));
  }
  let kills = 0;
  // Later each time, until the registry has moved; files left by a kill just after that are never read again.
  for (let waitMs = 0; !existsSync(to); waitMs = waitMs * 1.5 + 2) {
    const child = spawn(process.execPath, [script, from, to], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "close");
    await once(child.stdout, "data");
    await delay(waitMs);
    child.kill("SIGKILL");
    if ((await ended)[1] === "SIGKILL") kills += 1;
    if (existsSync(to)) expect(readdirSync(join(to, "outputs", "r"))).toHaveLength(files + 1);
    else expect(await runsIn(from)).toEqual(["r"]);
  }
  expect(kills).toBeGreaterThan(0);
  expect(await runsIn(to)).toEqual(["r"]);
  expect(readdirSync(join(to, ".."))).toEqual(["x-1"]);
});
