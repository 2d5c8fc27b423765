import { describe, expect, test } from "vitest";
import { createConversationFixture } from "../fixtures/delegation/conversation-fixture.ts";

const recipe = `version: 1.0.0
title: review
description: Reviews a folder
prompt: Review {{ target }} for {{ focus }}.
parameters:
  - { key: target, input_type: string, requirement: required, description: a folder }
  - { key: focus, input_type: string, requirement: optional, description: what for, default: bugs }
`;

describe("commands of a project", () => {
  test("are recipes and prompts, of which a taken name gets its kind before it", async () => {
    const { project, cadre } = await createConversationFixture();
    project.write(".cadre/recipes/review.yaml", recipe);
    project.write(
      ".claude/commands/team/fix.md",
      "---\ndescription: Fixes an issue\nargument-hint: [issue]\n---\nFix $ARGUMENTS.",
    );
    project.write(".cadre/commands/help.md", "# Help me\n\nwith $1");
    project.write(".opencode/command/a/b.md", "Do $1");
    project.write(".claude/commands/README.md", "about commands");
    const { commands, diagnostics } = await cadre.commands.list({ taken: ["help"] });
    expect(diagnostics).toEqual([]);
    expect(commands).toMatchObject([
      { name: "prompt:help", description: "Help me" },
      { name: "team:fix", description: "Fixes an issue", argumentHint: "[issue]" },
      { name: "a/b", kind: "prompt" },
      { name: "review", kind: "recipe", argumentHint: "target=… [focus=…] [TEXT]" },
    ]);
    expect(await cadre.commands.fill("prompt:help", "me")).toEqual({
      task: "# Help me\n\nwith me",
      notes: [],
    });
    expect(await cadre.commands.fill("nothing")).toBeUndefined();
  });

  test("that are recipes take pairs, and then a text", async () => {
    const { server, project, cadre } = await createConversationFixture();
    project.write(".cadre/recipes/review.yaml", recipe);
    const filled = await cadre.commands.fill("review", `target="src/a b" and the tests`);
    expect(filled).toMatchObject({ agent: "review", parameters: { target: "src/a b" } });
    const { notes: _, ...request } = filled ?? { notes: [] };
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await first.result();
    const next = await first.continue(request);
    expect(await next.result()).toMatchObject({ status: "succeeded" });
    expect(server.turns.at(-1)?.messages).toEqual([
      "user: one",
      "assistant: answer 1",
      "user: Review src/a b for bugs.",
    ]);
    await expect(cadre.commands.fill("review", "focus=x")).rejects.toThrow(
      "Expected /review target=… [focus=…] [TEXT], with:\n- target=…  a folder",
    );
    await expect(cadre.commands.fill("review", "target=a target=b")).rejects.toThrow("got several");
    await expect(next.continue({ task: "x", parameters: { target: "y" } })).rejects.toThrow(
      "Expected `agent` with the name of a recipe",
    );
  });

  test("run commands of trusted folders only", async () => {
    const { project, cadre } = await createConversationFixture();
    project.write(".claude/commands/state.md", "Look:\n!`git status $1`\nand @a.txt and @nobody");
    project.write("a.txt", "one");
    await expect(cadre.commands.fill("state", "-s")).rejects.toThrow(
      "The command /state runs commands, and its folder is not trusted.",
    );
    project.write(".claude/commands/write.md", "---\nmodel: scripted:a.yaml\n---\ngo");
    await expect(cadre.commands.fill("write")).rejects.toThrow("names a model that is a file");
    const trusted = await project.open({ trust: true });
    expect(await trusted.commands.fill("state", "-s")).toEqual({
      task: "Look:\n!`git status -s`\nand @a.txt and @nobody",
      taskCalls: [{ command: "git status -s", start: 6, end: 22 }, { file: "a.txt" }],
      notes: [],
    });
  });

  test("name their model and agent, and say which agent is not here", async () => {
    const { project, cadre } = await createConversationFixture();
    project.write(".opencode/command/a.md", "---\nagent: boss\nmodel: openai/gpt-5\n---\ngo");
    project.write(".opencode/command/b.md", "---\nagent: build\n---\n$ARGUMENTS");
    expect(await cadre.commands.fill("a", "on")).toEqual({
      task: "go\n\non",
      agent: "boss",
      model: "openai:gpt-5",
      notes: [],
    });
    expect(await cadre.commands.fill("b", "go")).toMatchObject({
      task: "go",
      notes: [expect.stringContaining("names the agent build")],
    });
    await expect(cadre.commands.fill("b")).rejects.toThrow(
      "Expected /b ARGUMENT; got no argument.",
    );
  });

  test("have findings that say what is wrong with a file", async () => {
    const { project, cadre } = await createConversationFixture();
    project.write(".claude/commands/empty.md", "---\nallowed-tools: Bash(git *)\n---\n");
    project.write(".claude/commands/a b.md", "text");
    project.write(".cadre/commands/x.md", "one");
    project.write(".claude/commands/x.md", "two");
    const { commands, diagnostics } = await cadre.commands.list();
    expect(commands).toMatchObject([{ name: "x", description: "one" }]);
    expect(diagnostics.map(({ code }) => code).toSorted()).toEqual([
      "command-name",
      "command-shadowed",
      "prompt-missing",
      "unsupported-field",
    ]);
  });
});
