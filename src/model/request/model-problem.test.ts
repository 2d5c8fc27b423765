import { expect, test } from "vitest";
import { readProblem } from "./model-problem.ts";

test("a message of a client that repeats that of its cause is said once", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), {
    code: "ECONNREFUSED",
  });
  const wrapped = new Error("Cannot connect to API: connect ECONNREFUSED 127.0.0.1:1", {
    cause: refused,
  });
  const text = "Cannot connect to API: connect ECONNREFUSED 127.0.0.1:1";
  expect(readProblem(wrapped)).toMatchObject({ kind: "network", text });
  const other = new Error("Cannot connect to API", { cause: refused });
  expect(readProblem(other)).toMatchObject({ text });
});
