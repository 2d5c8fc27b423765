import { expect, test } from "vitest";
import { commandOf, titleOfCall } from "./call-title.ts";

test.each([
  [{ title: "Run the tests" }, "Run the tests"],
  [{ title: "", name: "Bash", kind: "execute" }, "Bash"],
  [{}, "a tool"],
  [{ title: "write", paths: ["/w/a.ts", "/w/b.ts"] }, "write a.ts, b.ts"],
  [{ title: "Write the file", paths: ["/w/a.ts"] }, "Write the file"],
  [{ title: "tests", input: { command: "npm test" } }, "tests: npm test"],
  [{ title: "npm test", input: { command: "npm  test" } }, "npm test"],
  [{ title: "make", input: { command: "make" }, paths: ["/w"] }, "make"],
])("the title of %j is %s", (call, title) => {
  expect(titleOfCall({ id: "1", ...call })).toBe(title);
});

test.each([
  ["npm test", "npm test"],
  [["npm", "test"], "npm test"],
  [["/bin/bash", "-lc", "npm test && ls"], "npm test && ls"],
  [["sh", "-c", "echo $1", "x"], "sh -c echo $1 x"],
  [7, undefined],
])("the command %j is %s", (command, line) => {
  expect(commandOf({ command })).toBe(line);
});
