import { describe, expect, test } from "vitest";
import { convertAgent } from "../convert.ts";
import { explainAgent } from "../describe-agent.ts";
import { parseNative } from "../native/native.ts";
import { parseRunner } from "./runner.ts";

describe("a runner", () => {
  test("is a command with arguments, split and quoted as in a shell", () => {
    expect(parseRunner(`acp:npx -y 'an agent' --name "a \\"b\\" c" back\\ slash`)).toEqual({
      command: "npx",
      args: ["-y", "an agent", "--name", 'a "b" c', "back slash"],
      environment: {},
    });
  });

  test("may have variables before its command", () => {
    expect(parseRunner(`acp:KEY=$OTHER EMPTY= gemini --acp X=1`)).toEqual({
      command: "gemini",
      args: ["--acp", "X=1"],
      environment: { KEY: "$OTHER", EMPTY: "" },
    });
  });

  test("keeps text that a shell would expand", () => {
    expect(parseRunner("acp:agent $HOME *.ts ; rm")).toMatchObject({
      args: ["$HOME", "*.ts", ";", "rm"],
    });
  });

  test.each([
    ["gemini --acp", "does not start with"],
    ["acpp:gemini", "did you mean"],
    ["acp:", "no command"],
    ["acp:   ", "no command"],
    ["acp:KEY=1", "no command"],
    ["acp:''", "no command"],
    ["acp:agent 'open", "quote"],
    ["acp:agent back\\", "quote"],
    ["acp:agent\u0007", "control character"],
  ])("is refused as %j", (text, problem) => {
    expect(parseRunner(text)).toMatchObject({
      problem: expect.stringMatching(new RegExp(problem, "i")),
    });
  });
});

const file = (runner: string) =>
  parseNative({
    path: "/work/.cadre/agents/coder.md",
    scope: "project",
    text: `---\nname: coder\ndescription: codes\n${runner}\n---\nYou code.\n`,
  });

describe("the runner of a definition", () => {
  test("is read as it is written, with its line", () => {
    const agent = file("runner: acp:npx -y some-agent");
    expect(agent).toMatchObject({ runner: "acp:npx -y some-agent", lines: { runner: 4 } });
    expect(agent.diagnostics).toEqual([]);
  });

  test("is an error with its place if it is invalid", () => {
    const agent = file("runner: gemini");
    expect(agent.runner).toBeUndefined();
    expect(agent.diagnostics).toEqual([
      expect.objectContaining({ severity: "error", code: "runner-invalid", line: 4, column: 1 }),
    ]);
  });

  test("is explained, kept in Cadre's own format, and lost in every other", () => {
    const agent = file("runner: acp:some-agent");
    const path = "/work/.cadre/agents/coder.md";
    expect(explainAgent(agent)).toContainEqual({
      field: "runner",
      value: "acp:some-agent",
      origin: `${path}:4`,
    });
    expect(convertAgent(agent, "cadre")).toMatchObject({
      lost: [],
      text: expect.stringContaining("runner: acp:some-agent"),
    });
    for (const format of ["acai", "claude", "codex", "gemini"] as const) {
      const fields = convertAgent(agent, format).lost.map(({ field }) => field);
      expect(fields).toContain("runner");
    }
  });
});
