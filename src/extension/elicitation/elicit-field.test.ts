import { describe, expect, it } from "vitest";
import { type ElicitField, readElicitFields } from "./elicit-field.ts";
import type { JsonObject } from "../../source/json.ts";

function field(property: JsonObject, required: string[] = []): ElicitField {
  const [only] = readElicitFields({ type: "object", properties: { key: property }, required });
  if (only === undefined) throw new Error("a field was expected");
  return only;
}

describe("a field of a server's question", () => {
  it.each<[string, JsonObject, string, unknown]>([
    ["text as it is", { type: "string" }, " 007 ", "007"],
    ["a whole number", { type: "integer", minimum: 1 }, "12", 12],
    ["a number", { type: "number" }, "-0.5", -0.5],
    ["yes", { type: "boolean" }, "Y", true],
    ["no", { type: "boolean" }, "false", false],
    ["a choice by its value", { type: "string", enum: ["red", "2"] }, "2", "2"],
    ["a choice by its number", { type: "string", enum: ["red", "blue"] }, "2", "blue"],
    ["a choice by its old name", { type: "string", enum: ["r"], enumNames: ["Red"] }, "red", "r"],
    ["a choice by its title", { oneOf: [{ const: "r", title: "Red" }] }, "RED", "r"],
    [
      "several choices",
      { type: "array", items: { enum: ["red", "blue", "green"] } },
      "3, red",
      ["green", "red"],
    ],
    [
      "several choices with titles",
      { type: "array", items: { anyOf: [{ const: "r", title: "Red" }] } },
      "Red",
      ["r"],
    ],
  ])("takes %s", (_, property, answer, value) => {
    expect(field(property).read(answer)).toEqual({ value });
  });

  it.each<[string, JsonObject, string, string]>([
    ["a word for a number", { type: "number" }, "many", 'expected number, got "many"'],
    ["a number that is too small", { type: "integer", minimum: 1 }, "0", "must be >= 1"],
    ["a word for yes or no", { type: "boolean" }, "perhaps", "expected boolean"],
    ["an unknown choice", { type: "string", enum: ["red", "blue"] }, "3", '"red" or "blue"'],
    ["an invalid address", { type: "string", format: "email" }, "me", 'format "email"'],
    ["too many choices", { type: "array", items: { enum: ["a", "b"] }, maxItems: 1 }, "a,b", "1"],
  ])("refuses %s, and says what is expected", (_, property, answer, problem) => {
    expect(field(property).read(answer)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it("reads an empty answer as its default, or as no answer if it is optional", () => {
    expect(field({ type: "integer", default: 3 }, ["key"]).read("")).toEqual({ value: 3 });
    expect(field({ type: "integer" }).read(" ")).toEqual({});
    expect(field({ type: "integer" }, ["key"]).read("")).toEqual({
      problem: "expected a whole number, got nothing",
    });
  });

  it("shows no control characters, and cuts long lines", () => {
    const title = `a\u001b[2J\nb${"c".repeat(10_000)}`;
    const shown = field({ type: "string", title, description: "\u202ed" });
    expect(shown.title.startsWith("a bccc")).toBe(true);
    expect(shown.title.length).toBeLessThan(1000);
    expect(shown.description).toBe("d");
  });

  it("does not exist for a schema without properties", () => {
    expect(readElicitFields({ type: "object" })).toEqual([]);
    expect(readElicitFields({ properties: { a: true } })).toEqual([]);
  });
});
