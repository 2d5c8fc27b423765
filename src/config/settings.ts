import { z } from "zod";
import { permissionModes } from "../run/permission.ts";
import { describeRuleProblem } from "../run/permission-rule.ts";
import { extensionSetting } from "./extension-setting.ts";
import { networkSetting } from "./sandbox-setting.ts";

/** What an untrusted project may do with a setting: nothing, add to it, or only make it stricter. */
type UntrustedUse = "ignored" | "added" | "stricter";

/** One setting of the configuration. */
export interface Setting {
  schema: z.ZodType;
  /** What is expected, for messages. */
  expected: string;
  untrusted: UntrustedUse;
  /** What a value permits, for values other than numbers: the lower, the stricter. `map` stands for every map. */
  looseness?: Readonly<Record<string, number>>;
  /** Lists of all files count together, instead of the nearest one winning. */
  isJoined?: boolean;
}

const text = z.string().min(1);
const texts = z.array(text);
const ruleTexts = z.array(
  z.string().superRefine((rule, context) => {
    const message = describeRuleProblem(rule);
    if (message !== null) context.addIssue({ code: "custom", message });
  }),
);
const price = z.number().min(0);

const endpoint = z.strictObject({
  baseUrl: z.url(),
  apiKeyEnv: text.optional(),
  headers: z.record(z.string(), z.string()).optional(),
  contextTokens: z.int().min(1).optional(),
});

const prices = z.strictObject({
  input: price,
  output: price,
  cacheRead: price.optional(),
  cacheWrite: price.optional(),
});

/** Every setting by its dotted key; `*` stands for a name of the user's choice. */
const settings: Readonly<Record<string, Setting>> = {
  model: {
    schema: text,
    expected: "text such as `anthropic:claude-sonnet-4-5`",
    untrusted: "ignored",
  },
  "models.aliases.*": {
    schema: text,
    expected: "the id of a model, as text",
    untrusted: "ignored",
  },
  "models.endpoints.*": {
    schema: endpoint,
    expected: "a map with baseUrl, and perhaps apiKeyEnv, headers, contextTokens",
    untrusted: "ignored",
  },
  "models.prices.*": {
    schema: prices,
    expected:
      "a map with input and output, and perhaps cacheRead, cacheWrite (US dollars per million tokens)",
    untrusted: "ignored",
  },
  "models.contextTokens.*": {
    schema: z.int().min(1),
    expected: "a whole number of input tokens",
    untrusted: "ignored",
  },
  "permissions.mode": {
    schema: z.enum(permissionModes),
    expected: `one of ${permissionModes.join(", ")}`,
    untrusted: "stricter",
    // Neither of `plan` and `deny` is the stricter one: rules may allow more than `deny`, the web may be asked for in `plan`.
    // `read-only` asks less than `ask` and edits less than `accept-edits`, so it is neither stricter nor looser than they are.
    looseness: { plan: 0, deny: 0, ask: 1, "accept-edits": 2, auto: 3 },
  },
  "permissions.allow": {
    schema: ruleTexts,
    expected: rules(),
    untrusted: "ignored",
    isJoined: true,
  },
  "permissions.ask": { schema: ruleTexts, expected: rules(), untrusted: "added", isJoined: true },
  "permissions.deny": { schema: ruleTexts, expected: rules(), untrusted: "added", isJoined: true },
  "limits.depth": limit(0),
  "limits.children": limit(1),
  "limits.concurrency": limit(1),
  "limits.familyRuns": limit(1),
  "limits.stallSeconds": limit(1),
  "limits.replySeconds": limit(1),
  "limits.modelRetries": limit(0),
  "limits.toolOutputCharacters": limit(1000),
  "extensions.*": {
    schema: extensionSetting,
    expected:
      "a map with command (and perhaps args, environment, cwd) or url (and perhaps headers), and perhaps description, timeoutSeconds, allow, deny, readOnly, environmentKeys",
    untrusted: "ignored",
  },
  "delegation.profile": {
    schema: z.enum(["default", "strict"]),
    expected: "one of default, strict",
    untrusted: "stricter",
    looseness: { strict: 0, default: 1 },
  },
  "delegation.nested": {
    schema: z.boolean(),
    expected: "true or false",
    untrusted: "stricter",
    looseness: { false: 0, true: 1 },
  },
  "delegation.denyModels": {
    schema: texts,
    expected: "a list of patterns such as `google:*`",
    untrusted: "added",
    isJoined: true,
  },
  "delegation.requireMode": {
    schema: z.enum(["any", "auto"]),
    expected: "one of any, auto",
    untrusted: "stricter",
    looseness: { auto: 0, any: 1 },
  },
  "sandbox.mode": {
    schema: z.enum(["auto", "off", "required"]),
    expected: "one of auto, off, required",
    untrusted: "stricter",
    looseness: { required: 0, auto: 1, off: 2 },
  },
  "sandbox.network": {
    schema: networkSetting,
    expected: "true, false or a map such as `{ allow: [registry.npmjs.org] }`",
    untrusted: "stricter",
    looseness: { false: 0, map: 1, true: 2 },
  },
  "sandbox.unixSockets": {
    schema: z.boolean(),
    expected: "true or false",
    untrusted: "stricter",
    looseness: { false: 0, true: 1 },
  },
  "sandbox.writable": {
    schema: texts,
    expected: "a list of paths such as `~/data`",
    untrusted: "ignored",
    isJoined: true,
  },
  "sandbox.readable": {
    schema: texts,
    expected: "a list of paths such as `~/.cache/ms-playwright`",
    untrusted: "ignored",
    isJoined: true,
  },
  stateDir: { schema: text, expected: "the path of a folder", untrusted: "ignored" },
};

/** The setting that a path of keys names, or `null`; a group of settings is none. */
export function findSetting(keys: readonly string[]): Setting | null {
  const exact = keys.join(".");
  if (Object.hasOwn(settings, exact)) return settings[exact] ?? null;
  const named = [...keys.slice(0, -1), "*"].join(".");
  return keys.length > 1 && Object.hasOwn(settings, named) ? (settings[named] ?? null) : null;
}

/** The keys that may follow a path of keys; empty when the path is no group. `*` stands for any name. */
export function keysBelow(keys: readonly string[]): string[] {
  const below = Object.keys(settings)
    .map((key) => key.split("."))
    .filter((parts) => parts.length > keys.length && keys.every((key, at) => key === parts[at]));
  return [...new Set(below.map((parts) => parts[keys.length] ?? ""))];
}

function limit(min: number): Setting {
  const expected = `a whole number of at least ${min}`;
  return { schema: z.int().min(min), expected, untrusted: "stricter" };
}

function rules(): string {
  return "a list of rules such as `Bash(npm test*)`";
}
