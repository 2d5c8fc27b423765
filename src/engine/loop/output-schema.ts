import type { JsonObject, JsonValue } from "../../source/json.ts";

/** The key of a result that is not an object. */
export const wrappedKey = "value";

const choosing = ["anyOf", "oneOf", "allOf"] as const;

/**
 * Reports whether `schema` can be the schema of a tool's arguments: providers require a plain object there, and refuse choices
 * at its root.
 */
export function isArguments(schema: JsonObject): boolean {
  const { type } = schema;
  const isObject = type === "object" || (type === undefined && schema["properties"] !== undefined);
  return isObject && !choosing.some((keyword) => keyword in schema);
}

/** Returns the schema of an object that holds a value of `schema` under {@link wrappedKey}. */
export function wrapSchema(schema: JsonObject): JsonObject {
  return {
    type: "object",
    properties: { [wrappedKey]: moveReferences(schema) as JsonObject },
    required: [wrappedKey],
    additionalProperties: false,
  };
}

/** References within the schema start at its root, which is now one level deeper. */
function moveReferences(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(moveReferences);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]): [string, JsonValue] => {
      const isReference = key === "$ref" && typeof item === "string" && /^#(?:\/|$)/.test(item);
      return [
        key,
        isReference ? `#/properties/${wrappedKey}${item.slice(1)}` : moveReferences(item),
      ];
    }),
  );
}
