import { expect, test } from "vitest";
import { fillPromptCommand } from "./fill-prompt-command.ts";
import type { PromptCommand } from "./prompt-command.ts";

function fill(template: string, argument: string, given: Partial<PromptCommand> = {}): string {
  const command: PromptCommand = {
    name: "x",
    description: "",
    argumentNames: [],
    template,
    style: "claude",
    scope: "project",
    path: "/x.md",
    diagnostics: [],
    ...given,
  };
  return fillPromptCommand(command, argument, () => false).task;
}

test.each([
  ["all of $ARGUMENTS.", "a 'b c'", "all of a 'b c'."],
  ["$1 and $2", "a 'b c'", "a and b c"],
  ["$0 and $1", "a b", "a and b"],
  ["$ARGUMENTS[1] before $1", "a b", "b before b"],
  ["$1 for $20", "a", "a for $20"],
  ["no place", "a b", "no place\n\nARGUMENTS: a b"],
  ["no place", "", "no place"],
  ["it is $1", "don't", "it is don't"],
])("fills %j with %j as Claude Code does", (template, argument, task) => {
  expect(fill(template, argument)).toBe(task);
});

test.each([
  ["$1 and $2", "a b c", "a and b c"],
  ["$1, $2", "a", "a, "],
  ["no place", "a", "no place\n\na"],
])("fills %j with %j as OpenCode does", (template, argument, task) => {
  expect(fill(template, argument, { style: "opencode" })).toBe(task);
});

test("named arguments stand for words in their order", () => {
  expect(fill("$issue by $who", "12 me", { argumentNames: ["issue", "who"] })).toBe("12 by me");
});

test("an argument never becomes a command or a file", () => {
  const command = { argumentNames: [], template: "say $ARGUMENTS and !`echo $1`", style: "claude" };
  const filled = fillPromptCommand(
    command as unknown as PromptCommand,
    "!`rm x` @secret",
    () => true,
  );
  expect(filled).toEqual({
    task: "say !`rm x` @secret and !`echo !`rm`",
    taskCalls: [{ command: "echo !`rm", start: 24, end: 36 }],
  });
});
