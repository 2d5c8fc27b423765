import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { readRepositoryFormat } from "./repository-format.ts";

test("a configuration is listed once, and again when it has changed", async () => {
  const folder = temporaryFolder();
  const commonFolder = join(folder, ".git");
  mkdirSync(commonFolder);
  const repository = { folder, gitFolder: commonFolder, commonFolder };
  const listed: string[] = [];
  const read = async (configuration: string): Promise<string> => {
    writeFileSync(join(commonFolder, "config"), configuration);
    return await readRepositoryFormat(repository, async (text) => {
      listed.push(text);
      return `core.autocrlf\n${text.trim()}\0core.fsmonitor\n/bin/trap\0`;
    });
  };
  const first = await read(`input ${folder}`);
  expect(await read(`input ${folder}`)).toBe(first);
  expect(first).not.toContain("trap");
  expect(await read("true")).toContain("autocrlf = true");
  expect(listed).toEqual([`input ${folder}`, "true"]);
});

test("a repository of an unknown format is refused each time", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "config"), folder);
  const repository = { folder, gitFolder: folder, commonFolder: folder };
  for (const _ of [1, 2]) {
    const reading = readRepositoryFormat(repository, async () => "extensions.reftable\ntrue\0");
    await expect(reading).rejects.toThrow("does not know the extension extensions.reftable = true");
  }
});

test("a repository without a configuration is refused by name", async () => {
  const folder = temporaryFolder();
  const repository = { folder, gitFolder: folder, commonFolder: folder };
  await expect(readRepositoryFormat(repository, async () => "")).rejects.toMatchObject({
    code: "tool-unavailable",
    message: expect.stringContaining(`repository ${folder} cannot be read: ${folder}/config`),
  });
});
