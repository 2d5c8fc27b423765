import { expect, test } from "vitest";
import type { JsonValue } from "../../../source/json.ts";
import { parseRelaxedJson } from "./relaxed-json.ts";

test.each<[string, JsonValue]>([
  ["{ wb: 'mine', prs: [1, 2,], \"label-s\": null }", { wb: "mine", prs: [1, 2], "label-s": null }],
  ["[1 2\n'a'/* x */ true,,]", [1, 2, "a", true]],
  ["{ a: +1, b: .5, c: 0x1F, d: -1e3, 5: -.5 }", { a: 1, b: 0.5, c: 31, d: -1000, 5: -0.5 }],
  [`"a\\n\\u00e9\\"'" // end`, `a\né"'`],
  [`'it\\'s "x"'`, `it's "x"`],
  ["{ __proto__: 1 }", JSON.parse('{ "__proto__": 1 }') as JsonValue],
  ["// nothing\n/* at all */", null],
  ["", null],
])("%s is read", (content, value) => {
  expect(parseRelaxedJson(content)).toEqual(value);
});

test.each([
  ["{invalid}", 'expected `:` at line 1, column 9, got "}"'],
  ["{ a: 1,\n  b }", 'expected `:` at line 2, column 5, got "}"'],
  ["[1, nope]", 'expected a value at line 1, column 5, got "nope]"'],
  ["{ a: [", "expected `]` at line 1, column 7, got the end"],
  ["{ ! }", 'expected a key at line 1, column 3, got "! }"'],
  ["1 2", 'expected the end at line 1, column 3, got "2"'],
  ["{ a:", "expected a value at line 1, column 5, got the end"],
  ["'never closed", 'expected a value at line 1, column 1, got "\'never closed"'],
  ["[".repeat(1000), "expected at most 200 levels"],
])("%s says what is wrong", (content, message) => {
  expect(() => parseRelaxedJson(content)).toThrow(message);
});
