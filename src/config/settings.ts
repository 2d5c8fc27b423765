import { z } from "zod";
import { closedObject } from "../source/closed-object.ts";
import { maxFallbacks } from "../run/fallback/model-change.ts";
import { permissionModes } from "../run/permission.ts";
import { describeRuleProblem, isForAbsentTool } from "../run/permission-rule.ts";
import { hookEvents } from "../run/hook/hook-commands.ts";
import { hookGroups } from "./hook-setting.ts";
import { extensionSetting } from "./extension-setting.ts";
import { scheduleSetting, triggerSetting, webhookSetting } from "./automation-setting.ts";
import { expecting } from "./secret-value.ts";
import { networkSetting } from "./sandbox-setting.ts";

/** The effect of a setting from an untrusted project: none, additions to a list, or only a stricter value. */
type UntrustedUse = "ignored" | "added" | "stricter";

/** One setting of the configuration. */
export interface Setting {
  /** Creates the schema of the value. Rules may name `ownTools`, the program's tools. */
  createSchema: (ownTools: readonly string[]) => z.ZodType;
  /** The expected value, for messages. */
  expected: string;
  untrusted: UntrustedUse;
  /** How much each value permits, except for numbers; lower is stricter. `map` stands for every map. */
  looseness?: Readonly<Record<string, number>>;
  /** Whether the value is a list of rules, which name tools. */
  hasRules?: boolean;
  /** Whether the lists of all files are joined, instead of the nearest one taking precedence. */
  isJoined?: boolean;
  /** Whether the value may contain a password. Such a value is neither displayed nor repeated in errors. */
  isSecret?: boolean;
}

const text = (): z.ZodString => z.string().min(1);
const texts = (): z.ZodArray<z.ZodString> => z.array(text());
/** Returns the schema of rules for the existing tools and `ownTools`, the program's. An allow rule may name an absent tool. */
function ruleTexts(ownTools: readonly string[], mayBeAbsent: boolean): z.ZodType {
  return z.array(
    z.string().superRefine((rule, context) => {
      if (mayBeAbsent && isForAbsentTool(rule, ownTools)) return;
      const message = describeRuleProblem(rule, ownTools);
      if (message !== null) context.addIssue({ code: "custom", message });
    }),
  );
}
/** The label of a worker. */
const workerLabel: Setting = {
  createSchema: () => z.string().regex(/^[a-zA-Z0-9][\w.-]{0,62}$/),
  expected: "a label of at most 63 letters, digits, dots, dashes and underscores",
  untrusted: "ignored",
};
const price = (): z.ZodNumber => z.number().min(0);

const endpoint = (): z.ZodType =>
  closedObject({
    baseUrl: z.url(expecting("an http or https URL")),
    apiKeyEnv: text().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    contextTokens: z.int().min(1).optional(),
  });

const prices = (): z.ZodType =>
  closedObject({
    input: price(),
    output: price(),
    cacheRead: price().optional(),
    cacheWrite: price().optional(),
  });

/** All settings by dotted key. `*` stands for a name that the user chooses. */
const settings: Readonly<Record<string, Setting>> = {
  model: {
    createSchema: text,
    expected: "text such as `anthropic:claude-sonnet-4-5`",
    untrusted: "ignored",
  },
  fallbacks: {
    createSchema: () => texts().max(maxFallbacks),
    expected: `a list of at most ${maxFallbacks} models such as \`[openai:gpt-5, ollama:llama3]\``,
    untrusted: "ignored",
  },
  "models.aliases.*": {
    createSchema: text,
    expected: "the id of a model, as text",
    untrusted: "ignored",
  },
  "models.endpoints.*": {
    createSchema: endpoint,
    expected: "a map with baseUrl, and perhaps apiKeyEnv, headers, contextTokens",
    untrusted: "ignored",
  },
  "models.prices.*": {
    createSchema: prices,
    expected:
      "a map with input and output, and perhaps cacheRead, cacheWrite (US dollars per million tokens)",
    untrusted: "ignored",
  },
  "models.contextTokens.*": {
    createSchema: () => z.int().min(1),
    expected: "a whole number of input tokens",
    untrusted: "ignored",
  },
  "permissions.mode": {
    createSchema: () => z.enum(permissionModes),
    expected: `one of ${permissionModes.join(", ")}`,
    untrusted: "stricter",
    // Neither `plan` nor `deny` is stricter than the other: rules may allow more in `deny`, and `plan` may ask for web
    // access. `read-only` asks less than `ask` and edits less than `accept-edits`, so it is comparable with neither.
    looseness: { plan: 0, deny: 0, ask: 1, "accept-edits": 2, auto: 3 },
  },
  "permissions.allow": { ...rules(true), untrusted: "ignored", isJoined: true },
  "permissions.ask": { ...rules(false), untrusted: "added", isJoined: true },
  "permissions.deny": { ...rules(false), untrusted: "added", isJoined: true },
  "limits.depth": limit(0),
  "limits.children": limit(1),
  "limits.concurrency": limit(1),
  "limits.familyRuns": limit(1),
  "limits.stallSeconds": limit(1),
  "limits.replySeconds": limit(1),
  "limits.modelRetries": limit(0),
  "limits.toolOutputCharacters": limit(1000),
  "extensions.*": {
    createSchema: extensionSetting,
    expected:
      "a map with command (and perhaps args, environment, cwd) or url (and perhaps headers), and perhaps description, timeoutSeconds, allow, deny, readOnly, environmentKeys",
    untrusted: "ignored",
  },
  ...Object.fromEntries(
    hookEvents.map((event) => [
      `hooks.${event}`,
      {
        createSchema: () => hookGroups(event),
        expected:
          "a list such as `[{ matcher: Bash, hooks: [{ type: command, command: ./check.sh }] }]`",
        untrusted: "ignored",
        isJoined: true,
      },
    ]),
  ),
  claudeHooks: { createSchema: () => z.boolean(), expected: "true or false", untrusted: "ignored" },
  "delegation.profile": {
    createSchema: () => z.enum(["default", "strict"]),
    expected: "one of default, strict",
    untrusted: "stricter",
    looseness: { strict: 0, default: 1 },
  },
  "delegation.nested": {
    createSchema: () => z.boolean(),
    expected: "true or false",
    untrusted: "stricter",
    looseness: { false: 0, true: 1 },
  },
  "delegation.denyModels": {
    createSchema: texts,
    expected: "a list of patterns such as `google:*`",
    untrusted: "added",
    isJoined: true,
  },
  "delegation.requireMode": {
    createSchema: () => z.enum(["any", "auto"]),
    expected: "one of any, auto",
    untrusted: "stricter",
    looseness: { auto: 0, any: 1 },
  },
  "sandbox.mode": {
    createSchema: () => z.enum(["auto", "off", "required"]),
    expected: "one of auto, off, required",
    untrusted: "stricter",
    looseness: { required: 0, auto: 1, off: 2 },
  },
  "sandbox.network": {
    createSchema: networkSetting,
    expected: "true, false or a map such as `{ allow: [registry.npmjs.org] }`",
    untrusted: "stricter",
    looseness: { false: 0, map: 1, true: 2 },
  },
  "sandbox.unixSockets": {
    createSchema: () => z.boolean(),
    expected: "true or false",
    untrusted: "stricter",
    looseness: { false: 0, true: 1 },
  },
  "sandbox.writable": {
    createSchema: texts,
    expected: "a list of paths such as `~/data`",
    untrusted: "ignored",
    isJoined: true,
  },
  "sandbox.readable": {
    createSchema: texts,
    expected: "a list of paths such as `~/.cache/ms-playwright`",
    untrusted: "ignored",
    isJoined: true,
  },
  // Without trust, a project must not turn off the user's own instructions.
  instructions: {
    createSchema: () => z.boolean(),
    expected: "true or false",
    untrusted: "ignored",
  },
  notifications: {
    createSchema: () => z.enum(["auto", "bell", "osc9", "osc777", "off"]),
    expected: "one of auto, bell, osc9, osc777, off",
    untrusted: "ignored",
  },
  stateDir: { createSchema: text, expected: "the path of a folder", untrusted: "ignored" },
  "registry.url": {
    createSchema: () => z.string().regex(/^postgres(ql)?:\/\//),
    expected: "the address of a PostgreSQL database such as `postgresql://host/name`",
    untrusted: "ignored",
    isSecret: true,
  },
  "registry.schema": {
    createSchema: text,
    expected: "the name of a schema such as `cadre`",
    untrusted: "ignored",
  },
  "triggers.*": {
    createSchema: triggerSetting,
    expected:
      "a map with start (a request with an agent) or graph, and perhaps queue, data, secretEnv",
    untrusted: "ignored",
  },
  "schedules.*": {
    createSchema: scheduleSetting,
    expected: "a map with cron and trigger, and perhaps timezone, value, missed, overlap",
    untrusted: "ignored",
  },
  "webhooks.*": {
    createSchema: webhookSetting,
    expected: "a map with url and secretEnv, and perhaps events, descendants",
    untrusted: "ignored",
    isSecret: true,
  },
  engine: {
    createSchema: () => z.enum(["local", "dbos"]),
    expected: "one of local, dbos",
    untrusted: "ignored",
  },
  "queue.maxWaiting": limit(1),
  "queue.needs": workerLabel,
  "worker.concurrency": limit(1),
  "worker.label": workerLabel,
  "worker.clones": {
    createSchema: texts,
    expected: "a list of addresses of git repositories such as `https://github.com/acme/`",
    untrusted: "ignored",
    isJoined: true,
  },
  "worker.drainSeconds": { ...limit(0), untrusted: "ignored" },
  "worker.workspace": {
    createSchema: () => z.enum(["same", "git"]),
    expected: "one of same, git",
    untrusted: "ignored",
  },
  "worker.remote": {
    createSchema: text,
    expected: "the name of a git remote such as `origin`, or its address",
    untrusted: "ignored",
  },
  "worker.maxFiles": limit(1),
  "worker.maxMegabytes": limit(1),
  "worker.pushSecrets": {
    createSchema: () => z.boolean(),
    expected: "true or false",
    untrusted: "stricter",
    looseness: { false: 0, true: 1 },
  },
  "worker.setup": {
    createSchema: texts,
    expected: "a list of commands such as `npm ci`",
    untrusted: "ignored",
    isJoined: true,
  },
};

/** Returns the setting at a path of keys; `null` for a group of settings or an unknown key. */
export function findSetting(keys: readonly string[]): Setting | null {
  const exact = keys.join(".");
  if (Object.hasOwn(settings, exact)) return settings[exact] ?? null;
  const named = [...keys.slice(0, -1), "*"].join(".");
  return keys.length > 1 && Object.hasOwn(settings, named) ? (settings[named] ?? null) : null;
}

/** Returns the possible keys after a path of keys; empty when the path is not a group. `*` stands for any name. */
export function keysBelow(keys: readonly string[]): string[] {
  const below = Object.keys(settings)
    .map((key) => key.split("."))
    .filter((parts) => parts.length > keys.length && keys.every((key, at) => key === parts[at]));
  return [...new Set(below.map((parts) => parts[keys.length] ?? ""))];
}

function limit(min: number): Setting {
  const expected = `a whole number of at least ${min}`;
  return { createSchema: () => z.int().min(min), expected, untrusted: "stricter" };
}

function rules(mayBeAbsent: boolean): Pick<Setting, "createSchema" | "expected" | "hasRules"> {
  return {
    createSchema: (ownTools) => ruleTexts(ownTools, mayBeAbsent),
    expected: "a list of rules such as `Bash(npm test*)`",
    hasRules: true,
  };
}
