import { z } from "zod";
import type { ExtensionConfig, HttpExtension, StdioExtension } from "../run/extension-config.ts";

/** An extension in the configuration. The key in the configuration is its name. */
export type ExtensionSetting = Omit<StdioExtension, "name"> | Omit<HttpExtension, "name">;

const text = z.string().min(1);
const patterns = z.array(text).optional();
const values = z.record(z.string(), z.string()).optional();

const shared = {
  description: text.optional(),
  timeoutSeconds: z.number().positive().max(86_400).optional(),
  allow: patterns,
  deny: patterns,
  readOnly: patterns,
  environmentKeys: z
    .array(z.string().regex(/^[A-Za-z_]\w*$/, "the name of a variable is expected"))
    .optional(),
};

const stdioOnly = {
  args: z.array(z.string()).optional(),
  environment: values,
  cwd: text.optional(),
};

/** The schema of an extension. Its output is complete except for the name. */
export const extensionSetting: z.ZodType<ExtensionSetting> = z
  .strictObject({
    type: z.enum(["stdio", "streamable_http"]).optional(),
    command: text.optional(),
    url: z
      .string()
      .regex(/^(?:https?:\/\/|\$\{)/, "an http or https URL is expected")
      .optional(),
    headers: values,
    ...stdioOnly,
    ...shared,
  })
  .superRefine((setting, context) => {
    for (const [path, message] of misfits(setting)) {
      context.addIssue({ code: "custom", message, path });
    }
  })
  .transform(({ command, url, headers, args, environment, cwd, ...rest }) => {
    const written =
      command === undefined
        ? { type: "streamable_http", url, headers }
        : { type: "stdio", command, args: args ?? [], environment, cwd };
    const given = Object.entries({ ...rest, ...written }).filter(
      ([, value]) => value !== undefined,
    );
    return Object.fromEntries(given) as unknown as ExtensionSetting;
  });

/** Returns the conflicts between keys, with the path of each. */
function misfits(setting: Readonly<Record<string, unknown>>): [string[], string][] {
  const { type, command, url } = setting;
  if (command === undefined && url === undefined) {
    return [[[], "a command or a url is expected"]];
  }
  if (command !== undefined && url !== undefined) {
    return [[["url"], "either a command or a url is expected, not both"]];
  }
  const kind = command === undefined ? "streamable_http" : "stdio";
  const foreign = kind === "stdio" ? ["headers"] : Object.keys(stdioOnly);
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
