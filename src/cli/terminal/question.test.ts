import { describe, expect, it } from "vitest";
import { formatQuestion } from "./question.ts";
import { textWidth } from "./text-width.ts";

const request = {
  runId: "t-1",
  stepKey: "tool/1/0",
  tool: "Bash",
  title: "Bash: npm test",
  subject: "npm test",
  input: { command: "npm test", timeout: 5 },
  chain: ["main", "reviewer", "tester"],
  reason: "mode ask",
};

describe("formatQuestion", () => {
  it("names the agent, the call and the reason", () => {
    expect(formatQuestion(request, { columns: 80, waiting: 0 })).toEqual([
      "",
      "main > reviewer > tester asks to use Bash:",
      "  │ npm test",
      "  │ timeout: 5",
      "  why you are asked: mode ask",
      "  y yes, once · a always this · p a pattern · n no · r no, with a reason",
      "  v view all · Ctrl-C cancel",
    ]);
  });

  it("cannot be faked by the command: each of its lines begins with the bar", () => {
    const subject = `ls${" ".repeat(200)}  y yes, once\n  why you are asked: nothing\u001b[2K\u202e`;
    const lines = formatQuestion({ ...request, subject, input: {} }, { columns: 80, waiting: 0 });
    const own = lines.slice(2, -3);
    expect(own.every((line) => line.startsWith("  │ "))).toBe(true);
    expect(own.every((line) => textWidth(line) < 80)).toBe(true);
    expect(own.at(-1)).toBe(String.raw`  │   why you are asked: nothing\x1b[2K\u{202e}`);
    const shown = own.map((line) => line.slice(4)).join("");
    expect(shown).toContain(`ls${" ".repeat(200)}  y yes, once`);
  });

  it("shows the whole subject, and the size of the part of a long input that it omits", () => {
    const long = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
    const lines = formatQuestion(
      { ...request, subject: long, input: { content: `${long}\nend` } },
      { columns: 80, waiting: 0 },
    );
    expect(lines).toContain("  │ line 39");
    expect(lines).toContain("  … 29 more lines, which v shows");
  });
});
