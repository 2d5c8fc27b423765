import { isAbsolute } from "node:path";
import type { z } from "zod";
import { agentFileFormats } from "../../agent/formats.ts";
import { closedObject } from "../../source/closed-object.ts";
import { isRecord } from "../../source/json.ts";
import { callback, checked, flag, listField, showValue } from "./field.ts";

/** Names of other formats, and of sources without a file. */
const takenNames: ReadonlySet<string> = new Set([
  ...agentFileFormats.map(({ name }) => name),
  "recipe",
  "aip",
  "prompt",
  "library",
  "builtin",
]);

const formatName = checked((value) => {
  if (typeof value !== "string" || !/^[a-z][a-z\d-]*$/.test(value)) {
    return `expected a name of a-z, digits and hyphens, got ${showValue(value)}`;
  }
  return takenNames.has(value) ? `expected another name: ${value} is one of Cadre's own` : null;
});

const folderPath = checked((value) => {
  if (typeof value !== "string") return `expected the path of a folder, got ${showValue(value)}`;
  // Files in these folders are protected from agents. The whole project must not be.
  const names = value.split(/[\\/]/);
  const isInside = names.every((name) => name !== "" && name !== "." && name !== "..");
  if (isInside && !isAbsolute(value)) return null;
  return `expected the path of a folder below the project, such as \`.acme/agents\`; got ${showValue(value)}`;
});

const extension = checked((value) =>
  typeof value === "string" && /^\.[^\s\\/A-Z]+$/.test(value)
    ? null
    : `expected a lower-case extension with its dot, such as \`.md\`; got ${showValue(value)}`,
);

const folder = closedObject({ path: folderPath, userPath: folderPath, isDeep: flag });

const format = closedObject({
  name: formatName,
  folders: listField(folder, "folders such as `{ path, userPath, isDeep }`"),
  extensions: listField(extension, "extensions such as `.md`"),
  ignores: callback.optional(),
  parse: callback,
  recognizes: callback.optional(),
});

/** The option `formats`. */
export const formatsField: z.ZodType = listField(format, "formats of agent files").superRefine(
  (formats, context) => {
    const names = (Array.isArray(formats) ? formats : []).map(
      (one) => isRecord(one) && one["name"],
    );
    const repeated = names.findIndex((name, index) => names.indexOf(name) < index);
    if (repeated === -1) return;
    const message = "two formats have this name; each needs its own";
    context.addIssue({ code: "custom", path: [repeated, "name"], message });
  },
);
