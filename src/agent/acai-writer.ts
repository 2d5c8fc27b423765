import type { JsonObject } from "../source/json.ts";
import { asIs, type FormatWriter, type WriteContext } from "./format-writer.ts";
import { writeTimeout } from "./native-writer.ts";
import { wholeTools, writeWithoutLimited } from "./write-tools.ts";

function writeTools(context: WriteContext): JsonObject {
  return { tools: wholeTools(context).join(", ") || [] };
}

/** acai's format. */
export const acaiWriter: FormatWriter = {
  extension: ".md",
  fields: {
    name: asIs("name"),
    description: asIs("description"),
    model: asIs("model"),
    tools: (_, context) => writeTools(context),
    disallowedTools: (denied, context) => (denied.length > 0 ? writeTools(context) : {}),
    permissions: writeWithoutLimited((_, context) => writeTools(context)),
    timeoutSeconds: writeTimeout,
  },
};
