import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { agentFile, cadre, createProject, type Project } from "../cli/command-line.ts";
import { begin, openEditor, sentTextOf, sendPrompt } from "./acp-client.ts";

const recipe = `version: 1.0.0
title: review
description: Reviews a folder
prompt: Review {{ target }} for {{ focus }}.
parameters:
  - { key: target, input_type: string, requirement: required, description: a folder }
  - { key: focus, input_type: string, requirement: user_prompt, description: what for }
`;

const script = `
scripts:
  - when: { last: Review src for bugs }
    reply: { text: the recipe answers }
  - when: { last: "The state is good: now" }
    reply: { text: the command answers }
  - reply: { text: heard you }
`;

function project(): Project {
  return createProject({
    "script.yaml": script,
    ".cadre/agents/worker.md": agentFile("worker"),
    ".cadre/recipes/review.yaml": recipe,
    ".claude/commands/state.md":
      "---\ndescription: Says how things are\nargument-hint: [what]\n---\nThe state is !`echo good`: $ARGUMENTS",
  });
}

describe.concurrent("commands in an editor", () => {
  it("are agents, recipes and prompts; recipes and prompts last one turn", async () => {
    const fixture = project();
    const editor = await openEditor(fixture, {
      words: ["--mode", "auto", "--trust"],
      capabilities: { elicitation: { form: {} } },
      extend: (app) =>
        app.onRequest(methods.client.elicitation.create, () => ({
          action: "accept",
          content: { focus: "bugs" },
        })),
    });
    const sessionId = await begin(editor, fixture);
    const update = await editor.sees((one) => one.sessionUpdate === "available_commands_update");
    expect(update).toMatchObject({
      availableCommands: expect.arrayContaining([
        { name: "worker", description: expect.any(String), input: { hint: "task" } },
        { name: "state", description: "Says how things are", input: { hint: "[what]" } },
        {
          name: "review",
          description: "Reviews a folder",
          input: { hint: "target=… [focus=…] [TEXT]" },
        },
      ]),
    });
    expect(await sendPrompt(editor, sessionId, "/worker hello")).toBe("end_turn");
    expect(await sendPrompt(editor, sessionId, "/review target=src")).toBe("end_turn");
    expect(await sendPrompt(editor, sessionId, "/state now")).toBe("end_turn");
    expect(await sendPrompt(editor, sessionId, "/etc/hosts is wrong")).toBe("end_turn");
    expect(sentTextOf(editor.updates)).toBe(
      "heard youthe recipe answersthe command answersheard you",
    );
    await expect(sendPrompt(editor, sessionId, "/review focus=x")).rejects.toThrow(
      "- target=…  a folder",
    );
    const { stdout } = await cadre(fixture, ["runs", "--json"]);
    const { runs } = JSON.parse(stdout) as { runs: { agent: string }[] };
    expect(runs.map(({ agent }) => agent)).toEqual(["worker", "worker", "review", "worker"]);
    await editor.leave();
  });
});
