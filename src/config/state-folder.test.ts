import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findStateRoot, projectStateFolder, userStateFolder } from "./state-folder.ts";

const user = { home: "/home/me", environment: {} };

test("the user's state folder is the one of the system", () => {
  expect(userStateFolder(user, "linux")).toBe("/home/me/.local/state/cadre");
  expect(userStateFolder(user, "darwin")).toBe("/home/me/Library/Application Support/cadre");
  const environment = { LOCALAPPDATA: "/users/me/local" };
  expect(userStateFolder({ ...user, environment }, "win32")).toBe("/users/me/local/cadre");
});

test.each(["linux", "darwin", "win32"] as const)("XDG_STATE_HOME wins on %s", (platform) => {
  const environment = { XDG_STATE_HOME: "/var/state" };
  expect(userStateFolder({ ...user, environment }, platform)).toBe("/var/state/cadre");
});

test("a relative home or variable is refused by name, and an empty variable is ignored", () => {
  expect(() => userStateFolder({ home: "", environment: {} })).toThrow(
    'HOME to be an absolute path; got ""',
  );
  expect(() => userStateFolder({ ...user, environment: { XDG_STATE_HOME: "state" } })).toThrow(
    "Expected XDG_STATE_HOME to be an absolute path",
  );
  expect(userStateFolder({ ...user, environment: { XDG_STATE_HOME: "" } }, "linux")).toBe(
    "/home/me/.local/state/cadre",
  );
});

test("each project has its own folder, even when two have the same name", () => {
  const [one, two] = ["/a/shop", "/b/shop"].map((root) => projectStateFolder(root, user));
  expect(one).toMatch(/cadre\/projects\/shop-[0-9a-f]{16}$/);
  expect(two).toMatch(/cadre\/projects\/shop-[0-9a-f]{16}$/);
  expect(one).not.toBe(two);
});

test.each([
  ["/", /\/root-[0-9a-f]{16}$/],
  ["/x/..hidden", /\/hidden-[0-9a-f]{16}$/],
  ["/x/a b\n/", /\/a-b--[0-9a-f]{16}$/],
  ["/x/日本", /\/root-[0-9a-f]{16}$/],
  [`/x/${"long".repeat(50)}`, /\/(long){10}-[0-9a-f]{16}$/],
])("the folder of the project %j has a name that is safe", (root, expected) => {
  expect(projectStateFolder(root, user)).toMatch(expected);
});

test("a project has the same folder through any link", () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "cadre-state-")));
  mkdirSync(join(base, "project", ".git"), { recursive: true });
  mkdirSync(join(base, "project", "deep"));
  symlinkSync(join(base, "project"), join(base, "link"));
  const roots = ["project", "link", "link/deep"].map((path) =>
    findStateRoot({ cwd: join(base, path), home: base }),
  );
  expect(new Set(roots)).toEqual(new Set([join(base, "project")]));
});
