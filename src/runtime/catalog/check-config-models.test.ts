import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../config/load-config.ts";
import { checkProject } from "./check-project.ts";

const config = `model: script:script.yaml
fallbacks: [sonnet, opnai:gpt]
models:
  aliases:
    quick: anthropic:haiku
    slow: quik
`;

async function check(environment: Record<string, string>): Promise<string[]> {
  const home = await realpath(await mkdtemp(join(tmpdir(), "cadre-check-")));
  const cwd = join(home, "project");
  await mkdir(join(cwd, ".cadre"), { recursive: true });
  await writeFile(join(cwd, ".cadre", "config.yaml"), config);
  const request = { cwd, home, environment, isTrusted: () => true };
  const configuration = await loadConfig({ ...request, flags: {} });
  const found = await checkProject([], { ...request, configuration });
  return found.map(({ path, line, severity, message }) => {
    const [first = ""] = message.split(". ");
    return `${path.replace(cwd, "")}:${line} ${severity} ${first}`;
  });
}

test("a check reports models of the configuration that no provider has, at their lines", async () => {
  const expected = "cannot be used: Expected a model as provider:model or an alias, got";
  expect(await check({})).toEqual([
    `/.cadre/config.yaml:1 error The model of \`model\` ${expected} "script:script.yaml"`,
    `/.cadre/config.yaml:2 warning The model of \`fallbacks\` ${expected} "opnai:gpt"`,
    `/.cadre/config.yaml:6 warning The model of \`models.aliases.slow\` ${expected} "quik"`,
  ]);
});

test("a check reports the model of the environment in place of the file's", async () => {
  const [first] = await check({ CADRE_MODEL: "sonet" });
  expect(first).toMatch(/^environment CADRE_MODEL:1 error The model of `model` .* "sonet"$/);
});
