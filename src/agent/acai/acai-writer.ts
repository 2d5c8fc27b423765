import type { JsonObject } from "../../source/json.ts";
import { isAgentName, maxDescriptionCharacters } from "../fields/common-fields.ts";
import { asIs, type FormatWriter, type WriteContext } from "../write/format-writer.ts";
import { writeTimeout } from "../native/native-writer.ts";
import { wholeTools, writeWithoutLimited } from "../write/write-tools.ts";

function writeTools(context: WriteContext): JsonObject {
  return { tools: wholeTools(context).join(", ") || [] };
}

/** Writes acai's format. */
export const acaiWriter: FormatWriter = {
  extension: ".md",
  takesName: isAgentName,
  maxDescriptionCharacters,
  fillsTask: true,
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
