import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type * as MetaSchemaLibrary from "../../../src/source/schema/meta-schema-library.ts";
import { metaSchemaOf } from "../../../src/source/schema/meta-schema-library.ts";
import { commandFile } from "../../cli/start-command.ts";

const built = createRequire(import.meta.url)(
  join(dirname(commandFile), "../source/schema/meta-schema-library.js"),
) as typeof MetaSchemaLibrary;

const schemas = [
  {},
  { type: "object", properties: { a: { type: "string", pattern: "^a" } }, required: ["a"] },
  { type: "objet" },
  { type: ["string", "string"] },
  { properties: { a: { type: 7 }, b: { items: [{ minimum: "1" }] } } },
  { pattern: "[", patternProperties: { "(": {} } },
  { $id: "a b", $schema: "no reference", $ref: "c d", $anchor: "1", $comment: 3 },
  { required: "a", enum: [], const: undefined, uniqueItems: "yes", multipleOf: 0, maxLength: -1 },
  {
    if: 1,
    else: 2,
    allOf: [],
    not: [],
    contains: 1,
    propertyNames: 2,
    dependentRequired: { a: 1 },
  },
  { definitions: { a: [] }, $defs: { a: { anyOf: [{ oneOf: [{ format: 1 }] }] } } },
  {
    unevaluatedProperties: 1,
    prefixItems: {},
    additionalItems: 1,
    contentSchema: 1,
    deprecated: 1,
  },
];

describe.each(["draft7", "draft2020"] as const)("the built check of schemas of %s", (dialect) => {
  const [compiled, expected] = [built.metaSchemaOf(dialect), metaSchemaOf(dialect)];

  it("finds in each schema what ajv finds", () => {
    for (const schema of schemas) {
      expect(compiled(schema)).toBe(expected(schema));
      expect(compiled.errors).toEqual(expected.errors);
    }
    expect(schemas.filter((schema) => expected(schema))).toHaveLength(3);
  });
});
