import { asIs, type FormatWriter } from "./format-writer.ts";
import { writeTimeout } from "./native-writer.ts";
import { wholeTools } from "./write-tools.ts";

/** acai's format. */
export const acaiWriter: FormatWriter = {
  extension: ".md",
  fields: {
    name: asIs("name"),
    description: asIs("description"),
    model: asIs("model"),
    tools: (_, context) => ({ tools: wholeTools(context).join(", ") || [] }),
    timeoutSeconds: writeTimeout,
  },
};
