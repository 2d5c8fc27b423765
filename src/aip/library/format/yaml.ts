import type { JsonValue } from "../../../source/json.ts";
import { type AipModule, anyOf, isAbsent, listArgument, textArgument } from "../arguments.ts";
import { yamlLibrary } from "./lazy.ts";

/** `aip.yaml`. A YAML text is a list of documents. */
export const yaml: AipModule = {
  parse: (args) => (isAbsent(args, 1) ? undefined : parseYaml(textArgument(args, 1), args.name)),
  stringify: (args) => yamlLibrary().stringify(anyOf(args, 1) ?? null),
  stringify_multi_docs: (args) =>
    listArgument(args, 1)
      .map((document) => yamlLibrary().stringify(document))
      .join("---\n"),
};

/** Parses the documents of a text. Resolves at most a hundred aliases; the last of repeated keys wins. */
export function parseYaml(content: string, name: string): JsonValue {
  const how = { logLevel: "silent", uniqueKeys: false } as const;
  const documents = [...yamlLibrary().parseAllDocuments(content, how)];
  return documents.map((document, index) => {
    const [problem] = document.errors;
    if (problem !== undefined) {
      const message = problem.message.split("\n", 1)[0];
      throw new Error(`${name} failed: document ${index + 1} is not YAML: ${message}`);
    }
    return toPlain(document.toJS({ maxAliasCount: 100 }));
  });
}

function toPlain(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value ?? null)) as JsonValue;
}
