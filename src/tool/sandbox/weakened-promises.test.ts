import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findSandboxProblem } from "./sandbox.ts";
import { findWeakenedPromises, sandboxPromises } from "./weakened-promises.ts";

const hasSandbox = (await findSandboxProblem()) === null;

test("without a sandbox all its promises are listed, with the reason", async () => {
  const { reason, promises } = await findWeakenedPromises({ mode: "off", unixSockets: false });
  expect(reason).toBe("sandbox.mode is off");
  expect(promises).toEqual(sandboxPromises);
});

test("a required sandbox weakens no promise, because nothing runs without it", async () => {
  const weakened = await findWeakenedPromises({ mode: "required", unixSockets: false });
  expect(weakened).toEqual({ reason: null, promises: [] });
});

test.runIf(hasSandbox)("in the sandbox only the allowed accesses are weakened", async () => {
  const complete = await findWeakenedPromises({ mode: "auto", unixSockets: false });
  expect(complete).toEqual({ reason: null, promises: [] });
  const { promises } = await findWeakenedPromises({ mode: "auto", unixSockets: true });
  expect(promises.map(({ promise }) => promise)).toEqual([
    "Commands reach no unix socket, such as that of a container service.",
  ]);
});

test("the documentation lists the same promises, in the same order", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/tools.md"), "utf8");
  const section = /## Without a sandbox\n.*?(?=\n## )/s.exec(page)?.[0] ?? "";
  const rows = [...section.matchAll(/^\| (.+) \| (.+) \|$/gm)].slice(1);
  expect(rows.map(([, promise, instead]) => ({ promise, instead }))).toEqual(sandboxPromises);
});
