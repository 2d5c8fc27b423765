import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/fixtures/tool-call.ts";
import type { StdioExtension } from "../run/extension-config.ts";
import { checkVariables } from "./check-variables.ts";
import { loadExtension, pruneExtensions, storeExtension } from "./stored-extension.ts";

const config: StdioExtension = {
  name: "db",
  type: "stdio",
  command: "db-server",
  args: ["--password", "hunter2"],
  environment: { TOKEN: "secret-token" },
  description: "a database",
};

it("a stored configuration shows no secret, and is loaded as it was", async () => {
  const folder = temporaryFolder();
  const stored = await storeExtension(folder, config);
  expect(stored).toEqual({
    name: "db",
    type: "stdio",
    description: "a database",
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(await loadExtension(folder, stored)).toEqual(config);
  const path = join(folder, "extensions", `${stored.hash}.json`);
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(statSync(join(folder, "extensions")).mode & 0o077).toBe(0);
});

it("the same configuration is stored once, whatever the order of its keys", async () => {
  const folder = temporaryFolder();
  const { name, type, ...rest } = config;
  const [first, second] = await Promise.all([
    storeExtension(folder, config),
    storeExtension(folder, { ...rest, type, name }),
  ]);
  expect(second).toEqual(first);
  expect(readdirSync(join(folder, "extensions"))).toEqual([`${first.hash}.json`]);
});

it("a configuration that is gone or was changed is not started", async () => {
  const folder = temporaryFolder();
  const stored = await storeExtension(folder, config);
  const path = join(folder, "extensions", `${stored.hash}.json`);
  writeFileSync(path, JSON.stringify({ ...config, command: "evil" }));
  await expect(loadExtension(folder, stored)).rejects.toThrow("was changed");
  const lost = loadExtension(temporaryFolder(), stored);
  await expect(lost).rejects.toMatchObject({ code: "tool-unavailable" });
  const elsewhere = loadExtension(folder, { ...stored, hash: "../../etc/passwd" });
  await expect(elsewhere).rejects.toThrow("invalid.json");
});

it("configurations that nobody refers to are removed, except for new ones", async () => {
  const folder = temporaryFolder();
  const paths = await Promise.all(
    ["used", "old", "new"].map(async (name) => {
      const { hash } = await storeExtension(folder, { ...config, name });
      return { hash, path: join(folder, "extensions", `${hash}.json`) };
    }),
  );
  const [used, old, young] = paths;
  if (used === undefined || old === undefined || young === undefined) throw new Error("three");
  for (const { path } of [used, old]) utimesSync(path, 0, 0);
  expect(await pruneExtensions(folder, [used.hash])).toBe(1);
  expect([used, old, young].map(({ path }) => existsSync(path))).toEqual([true, false, true]);
  expect(await pruneExtensions(temporaryFolder(), [])).toBe(0);
});

it("storing a configuration again keeps it from being removed", async () => {
  const folder = temporaryFolder();
  const { hash } = await storeExtension(folder, config);
  utimesSync(join(folder, "extensions", `${hash}.json`), 0, 0);
  await storeExtension(folder, config);
  expect(await pruneExtensions(folder, [])).toBe(0);
});

it("servers are found wanting before they are started when a variable is not set", async () => {
  const folder = temporaryFolder();
  const stored = await storeExtension(folder, { ...config, environmentKeys: ["TOKEN"] });
  await expect(checkVariables(folder, [stored], { TOKEN: "x" })).resolves.toBeUndefined();
  await expect(checkVariables(folder, [stored], {})).rejects.toThrow(/server db .* not set: TOKEN/);
  // The run will say that, and waiting for it would not help.
  const lost = [{ ...stored, hash: "0".repeat(64) }];
  await expect(checkVariables(folder, lost, {})).resolves.toBeUndefined();
});
