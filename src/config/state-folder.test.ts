import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stateFolder } from "./state-folder.ts";

test("the registry is where the variable says, otherwise in the project, otherwise here", () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "cadre-state-")));
  const cwd = join(base, "project", "deep");
  mkdirSync(cwd, { recursive: true });
  const place = { cwd, home: base, environment: {} };
  expect(stateFolder(place)).toBe(join(cwd, ".cadre", "state"));
  mkdirSync(join(base, "project", ".cadre"));
  expect(stateFolder(place)).toBe(join(base, "project", ".cadre", "state"));
  expect(stateFolder({ ...place, environment: { CADRE_STATE_DIR: "x" } })).toBe(join(cwd, "x"));
  expect(stateFolder({ ...place, environment: { CADRE_STATE_DIR: "/x/y" } })).toBe("/x/y");
});
