import { z } from "zod";
import { closedObject } from "../source/closed-object.ts";
import type { ExtensionConfig, HttpExtension, StdioExtension } from "../run/extension-config.ts";
import { expecting } from "./secret-value.ts";

/** An extension in the configuration. The key in the configuration is its name. */
export type ExtensionSetting = Omit<StdioExtension, "name"> | Omit<HttpExtension, "name">;

/** The keys that an extension with a `url` cannot have. */
const stdioOnly: readonly string[] = ["args", "environment", "cwd"];

const variableName = "the name of an environment variable such as `API_KEY`";

/** Creates the schema of an extension. Its output is complete except for the name. */
export function extensionSetting(): z.ZodType<ExtensionSetting> {
  const text = z.string().min(1).optional();
  const patterns = z.array(z.string().min(1)).optional();
  const values = z.record(z.string(), z.string()).optional();
  const variable = z.string().regex(/^[A-Za-z_]\w*$/, expecting(variableName));
  return closedObject({
    type: z.enum(["stdio", "streamable_http"]).optional(),
    command: text,
    url: z
      .string()
      .regex(/^(?:https?:\/\/|\$\{)/, expecting("an http or https URL"))
      .optional(),
    headers: values,
    args: z.array(z.string()).optional(),
    environment: values,
    cwd: text,
    description: text,
    timeoutSeconds: z.number().positive().max(86_400).optional(),
    allow: patterns,
    deny: patterns,
    readOnly: patterns,
    environmentKeys: z.array(variable).optional(),
  })
    .superRefine((setting, context) => {
      for (const [path, message] of misfits(setting)) {
        context.addIssue({ code: "custom", message, path });
      }
    })
    .transform(complete);
}

/** Writes a setting with its type, and without what is absent. */
function complete(setting: Readonly<Record<string, unknown>>): ExtensionSetting {
  const { command, url, headers, args, environment, cwd, ...rest } = setting;
  const written =
    command === undefined
      ? { type: "streamable_http", url, headers }
      : { type: "stdio", command, args: args ?? [], environment, cwd };
  const given = Object.entries({ ...rest, ...written }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as unknown as ExtensionSetting;
}

/** Returns the conflicts between keys, with the path of each. */
function misfits(setting: Readonly<Record<string, unknown>>): [string[], string][] {
  const { type, command, url } = setting;
  if (command === undefined && url === undefined) {
    return [[[], "expected a command or a url, got neither"]];
  }
  if (command !== undefined && url !== undefined) {
    return [[["url"], "expected a command or a url, got both"]];
  }
  const kind = command === undefined ? "streamable_http" : "stdio";
  const foreign = kind === "stdio" ? ["headers"] : stdioOnly;
  const wrong = foreign.filter((key) => setting[key] !== undefined);
  return [
    ...(type === undefined || type === kind ? [] : [mismatch(["type"], kind)]),
    ...wrong.map((key) => mismatch([key], kind)),
  ];
}

function mismatch(path: string[], kind: ExtensionConfig["type"]): [string[], string] {
  const what = kind === "stdio" ? "a command" : "a url";
  return [path, `this cannot be combined with ${what}`];
}
