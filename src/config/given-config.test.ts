import { expect, test } from "vitest";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "./load-config.ts";
import type { GivenConfig } from "./given-config.ts";
import { findSetting, keysBelow } from "./settings.ts";

const folder = mkdtempSync(join(tmpdir(), "cadre-config-"));
const project = { cwd: folder, home: folder, environment: {}, flags: {}, isTrusted: () => true };

/** Each setting with a value that is not its default. */
const every: Required<GivenConfig> = {
  model: "anthropic:haiku",
  fallbacks: ["openai:gpt-5"],
  models: {
    aliases: { quick: "anthropic:haiku" },
    endpoints: { own: { baseUrl: "http://127.0.0.1:1" } },
    prices: { "own:one": { input: 1, output: 2 } },
    contextTokens: { "own:one": 1000 },
  },
  permissions: { mode: "plan", allow: ["Read"], ask: ["Bash"], deny: ["Write"] },
  limits: {
    depth: 1,
    children: 2,
    concurrency: 3,
    familyRuns: 4,
    stallSeconds: 5,
    replySeconds: 6,
    modelRetries: 7,
    toolOutputCharacters: 8000,
  },
  extensions: { one: { command: "run", cwd: "sub" } },
  hooks: {
    PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "x", timeout: 5 }] }],
  },
  claudeHooks: true,
  delegation: { profile: "strict", nested: false, denyModels: ["google:*"], requireMode: "auto" },
  sandbox: {
    mode: "off",
    network: { allow: ["example.com"] },
    unixSockets: true,
    writable: ["w"],
    readable: ["~/r"],
  },
  instructions: false,
  notifications: "bell",
  stateDir: "state",
  engine: "local",
  registry: { url: "postgresql://127.0.0.1/runs", schema: "own" },
  worker: {
    concurrency: 3,
    label: "gpu",
    clones: ["https://host/acme/"],
    drainSeconds: 5,
    workspace: "git",
    remote: "up",
    maxFiles: 7,
    maxMegabytes: 8,
    pushSecrets: true,
    setup: ["npm ci"],
  },
  triggers: { review: { start: { agent: "reviewer" }, data: "input", secretEnv: "SECRET" } },
  schedules: { nightly: { cron: "0 3 * * *", timezone: "Europe/Berlin", trigger: "review" } },
  webhooks: { chat: { url: "https://127.0.0.1/", secretEnv: "SECRET", events: ["run-started"] } },
  queue: { maxWaiting: 9, needs: "gpu" },
};

/** The dotted keys of all settings. `*` stands for a name that the user chooses. */
function allKeys(above: readonly string[] = []): string[] {
  return keysBelow(above).flatMap((key) => {
    const keys = [...above, key];
    return keysBelow(keys).length === 0 ? [keys.join(".")] : allKeys(keys);
  });
}

test("every setting of a file can be given in code, and says so", async () => {
  const { sources, config } = await loadConfig({ ...project, given: every as never });
  const given = Object.entries(sources).filter(([, one]) => one.origin === "the option `config`");
  const keys = given.map(([key]) => key);
  const missing = allKeys().filter((key) => {
    const isHook = key.startsWith("hooks.") && key !== "hooks.PreToolUse";
    const prefix = key.replace(/\*$/, "");
    return (
      !isHook && !keys.some((one) => one === key || (key.endsWith("*") && one.startsWith(prefix)))
    );
  });
  expect(missing).toEqual([]);
  expect(keys.every((key) => findSetting(key.split(".")) !== null)).toBe(true);
  expect(config).toMatchObject({
    model: "anthropic:haiku",
    stateDir: join(folder, "state"),
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ command: "x", timeoutSeconds: 5 }] }] },
    extensions: { one: { type: "stdio", command: "run", cwd: join(folder, "sub") } },
    sandbox: { writable: [join(folder, "w")], readable: [join(folder, "r")] },
  });
});

test("a short form and a setting without a value are as in a file", async () => {
  const given = { sandbox: "required", model: null };
  const { config, sources } = await loadConfig({ ...project, given });
  expect(config.sandbox.mode).toBe("required");
  expect(sources["sandbox.mode"]?.origin).toBe("the option `config`");
  expect(config.model).toBeUndefined();
});

test("options win over the environment, which wins over files; lists are joined", async () => {
  const given = { model: "given", permissions: { deny: ["Write"] } };
  const environment = { CADRE_MODEL: "environment" };
  const loaded = await loadConfig({ ...project, environment, given });
  expect(loaded.config.model).toBe("given");
  const flags = { model: "flag" };
  expect((await loadConfig({ ...project, environment, given, flags })).config.model).toBe("flag");
});

test("every wrong setting is named at once", async () => {
  const given = {
    modle: "x",
    limits: { depth: -1 },
    permissions: { deny: ["Bsh"] },
    hooks: { PreToolUs: [] },
  };
  await expect(loadConfig({ ...project, given: given })).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringMatching(
      /^Expected the option `config` .*:\n- `modle` is not a known setting.*Did you mean `model`\?\n- .*limits\.depth.*\n- .*Bsh.*\n- .*PreToolUs/,
    ),
  });
});
