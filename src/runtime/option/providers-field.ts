import { z } from "zod";
import { isRecord } from "../../source/json.ts";
import { checked, field, showValue } from "./field.ts";

/** Prefixes of models that do not name a provider. */
const otherPrefixes: ReadonlySet<string> = new Set(["scripted", "replay", "record"]);

function problemOfName(name: string): string | null {
  if (!/^[a-z\d](?:[a-z\d._-]*[a-z\d])?$/i.test(name)) {
    return `expected a name of letters, digits, \`.\`, \`_\` and \`-\`, which stands before the colon of a model; got ${showValue(name)}`;
  }
  if (!otherPrefixes.has(name.toLowerCase())) return null;
  return `expected another name: \`${name}:\` names a file that replies instead of a model`;
}

const provider = checked((value) => {
  const expected =
    "a provider of the AI SDK (specification v3 or v4), such as `createAmazonBedrock()`";
  // A provider may be a function with the members of a provider.
  const isObject = (typeof value === "object" || typeof value === "function") && value !== null;
  const version: unknown = isObject ? Reflect.get(value, "specificationVersion") : undefined;
  const findModel: unknown = isObject ? Reflect.get(value, "languageModel") : undefined;
  if (typeof findModel === "function" && (version === "v3" || version === "v4")) return null;
  const isModel = isObject && typeof Reflect.get(value, "doGenerate") === "function";
  if (isModel) return `expected ${expected}; got one of its models`;
  if (version === "v3" || version === "v4") return `expected ${expected}; it has no languageModel`;
  if (typeof version === "string")
    return `expected ${expected}; got a provider of specification ${version}`;
  return `expected ${expected}; got ${showValue(value)}`;
});

/** The option `providers`. */
export const providersField: z.ZodType = field("an object of providers by name", isRecord).pipe(
  z.record(z.string(), provider).superRefine((providers, context) => {
    for (const name of Object.keys(providers)) {
      const message = problemOfName(name);
      if (message !== null) context.addIssue({ code: "custom", path: [name], message });
    }
  }),
);
