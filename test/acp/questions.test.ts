import { readFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { cadre, createProject, type Project } from "../cli/command-line.ts";
import { begin, type TestEditor, openEditor, sendPrompt } from "./acp-client.ts";

const script = `
scripts:
  - when: { last: { matches: "write (?<file>\\\\S+)" } }
    reply: { calls: [{ tool: Write, input: { file_path: "{{file}}", content: new } }] }
  - when: { last: ask me }
    reply:
      calls:
        - tool: AskUser
          input: { questions: [{ question: Which one? }] }
  - reply: { text: done }
`;

const { session } = methods.agent;

function project(): Project {
  return createProject({ "script.yaml": script, "old.txt": "old\n" });
}

/** Opens an editor with forms, which the user fills in with these answers in order. */
async function openWithForms(
  fixture: Project,
  chosen: string[],
  forms: object[],
): Promise<{ editor: TestEditor; shown: { message: string; toolCallId?: string }[] }> {
  const shown: { message: string; toolCallId?: string }[] = [];
  const editor = await openEditor(fixture, {
    choose: () => chosen.shift(),
    capabilities: { elicitation: { form: {} } },
    extend: (app) =>
      app.onRequest(methods.client.elicitation.create, ({ params }) => {
        shown.push(params as never);
        const content = forms.shift();
        return content === undefined ? { action: "cancel" } : { action: "accept", content };
      }),
  });
  return { editor, shown };
}

const results = ({ updates }: TestEditor): string =>
  JSON.stringify(updates.filter((one) => one.sessionUpdate === "tool_call_update"));

describe.concurrent("questions in an editor", () => {
  it("show the current text of a replaced file, and give the agent the reason of a rejection", async () => {
    const fixture = project();
    const forms = [{ reason: "it is not yours" }];
    const { editor, shown } = await openWithForms(fixture, ["reason"], forms);
    const sessionId = await begin(editor, fixture);
    await sendPrompt(editor, sessionId, "write old.txt");
    const [asked] = editor.asked;
    expect(asked?.options.map(({ optionId, kind }) => `${optionId} ${kind}`)).toEqual([
      "once allow_once",
      "always allow_always",
      "rule-session allow_always",
      "rule-project allow_always",
      "rule-user allow_always",
      "pattern allow_always",
      "no reject_once",
      "reason reject_once",
    ]);
    expect(asked?.toolCall.content?.[0]).toMatchObject({ oldText: "old\n", newText: "new" });
    expect(shown).toMatchObject([{ toolCallId: `${sessionId}/tool/1/0` }]);
    expect(results(editor)).toContain("not approved: it is not yours");
    await editor.leave();
  });

  it("are not asked again in a session for a call that was always allowed, in later turns too", async () => {
    const fixture = project();
    const chosen = ["always", "once"];
    const editor = await openEditor(fixture, { choose: () => chosen.shift() });
    const sessionId = await begin(editor, fixture);
    for (const file of ["a.txt", "a.txt", "b.txt"])
      await sendPrompt(editor, sessionId, `write ${file}`);
    expect(editor.asked.map(({ toolCall }) => toolCall.title)).toEqual([
      "Write a.txt",
      "Write b.txt",
    ]);
    await editor.leave();
  });

  it("take a rule that the user writes, and add it to the configuration", async () => {
    const fixture = project();
    const forms = [{ rule: "Write(" }, { rule: "Write(*.txt)", scope: "user" }];
    const { editor, shown } = await openWithForms(fixture, ["pattern"], forms);
    const sessionId = await begin(editor, fixture);
    for (const file of ["a.txt", "b.txt"]) await sendPrompt(editor, sessionId, `write ${file}`);
    expect(editor.asked).toHaveLength(1);
    expect(shown.map(({ message }) => message)).toEqual([
      expect.stringContaining("Which calls may be made without a question?"),
      expect.stringContaining("Write("),
    ]);
    const config = readFileSync(join(fixture.home, ".cadre/config.yaml"), "utf8");
    expect(config).toContain("- Write(*.txt) # allowed on");
    await editor.leave();
  });

  it("return when a form is closed, and end with a cancelled turn", async () => {
    const fixture = project();
    const { editor } = await openWithForms(fixture, ["pattern", "once"], []);
    const sessionId = await begin(editor, fixture);
    await sendPrompt(editor, sessionId, "write a.txt");
    expect(editor.asked).toHaveLength(2);
    const turn = sendPrompt(editor, sessionId, "write b.txt");
    await editor.sees(() => editor.asked.length === 3);
    await editor.agent.notify(session.cancel, { sessionId });
    expect(await turn).toBe("cancelled");
    await editor.leave();
  });

  it("of an agent are forms, which are declined in an editor without forms", async () => {
    const fixture = project();
    const { editor, shown } = await openWithForms(fixture, [], [{ answer: "blue" }]);
    const sessionId = await begin(editor, fixture);
    await sendPrompt(editor, sessionId, "ask me");
    expect(shown).toMatchObject([{ message: expect.stringContaining("Which one?") }]);
    await editor.leave();
    const plain = await openEditor(fixture);
    await sendPrompt(plain, await begin(plain, fixture), "ask me");
    expect(results(plain)).toContain("completed");
    await plain.leave();
    const { code } = await cadre(fixture, ["conversations"]);
    expect(code).toBe(0);
  });
});
