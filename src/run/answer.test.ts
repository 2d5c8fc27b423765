import { expect, test } from "vitest";
import { answerOf } from "./answer.ts";

test("an answer is the text of a result, with its output unless the text contains it", () => {
  expect(answerOf({ text: "done" })).toBe("done");
  expect(answerOf({ text: "", output: { a: 1 } })).toBe('{"a":1}');
  expect(answerOf({ text: '{"a":1}', output: { a: 1 } })).toBe('{"a":1}');
  expect(answerOf({ text: 'It is {"a":1}.', output: { a: 1 } })).toBe('It is {"a":1}.');
  expect(answerOf({ text: "Here it is.", output: null })).toBe("Here it is.\n\nOutput:\nnull");
});
