import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods, type NewSessionResponse, type PromptResponse } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { createProject, type Project } from "../cli/command-line.ts";
import { type TestEditor, openEditor, sentTextOf } from "./acp-client.ts";

const script = `
scripts:
  - when: { last: look please }
    reply: { calls: [{ tool: Read, input: { file_path: src/a.txt } }] }
  - when: { last: alter }
    reply: { calls: [{ tool: Edit, input: { file_path: src/a.txt, old_string: unsaved, new_string: mine } }] }
  - reply: { text: done }
`;

const { session } = methods.agent;

interface Opened {
  project: Project;
  editor: TestEditor;
  asked: string[];
  /** The unsaved texts, by path. */
  unsaved: Map<string, string>;
  cwd: string;
}

/** Opens an editor that reads files, in a folder that the editor knows by another name. */
async function open(): Promise<Opened> {
  const project = createProject({ "script.yaml": script, "src/a.txt": "saved\n" });
  const cwd = `${project.path}-linked`;
  symlinkSync(project.path, cwd);
  const asked: string[] = [];
  const unsaved = new Map<string, string>();
  const editor = await openEditor(project, {
    words: ["--mode", "auto"],
    capabilities: { fs: { readTextFile: true, writeTextFile: true } },
    extend: (app) =>
      app.onRequest(methods.client.fs.readTextFile, ({ params: { path } }) => {
        asked.push(path);
        return { content: unsaved.get(path) ?? readFileSync(path, "utf8") };
      }),
  });
  return { project, editor, asked, unsaved, cwd };
}

async function send(editor: TestEditor, sessionId: string, text: string): Promise<string> {
  const prompt = [{ type: "text" as const, text }];
  const sent = { sessionId, prompt };
  const { stopReason } = await editor.agent.request<PromptResponse>(session.prompt, sent);
  return stopReason;
}

const resultsOf = ({ updates }: TestEditor): string =>
  JSON.stringify(updates.filter((one) => one.sessionUpdate === "tool_call_update"));

describe.concurrent("files in an editor", () => {
  it("are read as the editor shows them, and are not changed while they are unsaved", async () => {
    const { project, editor, asked, unsaved, cwd } = await open();
    const path = join(cwd, "src/a.txt");
    const request = { cwd, mcpServers: [] };
    const { sessionId } = await editor.agent.request<NewSessionResponse>(session.new, request);
    unsaved.set(path, "unsaved\n");
    await send(editor, sessionId, "look please");
    expect(asked).toEqual([path]);
    expect(resultsOf(editor)).toContain("unsaved");
    await send(editor, sessionId, "alter it");
    expect(resultsOf(editor)).toContain("has unsaved changes in the editor");
    const file = join(project.path, "src/a.txt");
    expect(readFileSync(file, "utf8")).toBe("saved\n");
    unsaved.clear();
    writeFileSync(file, "unsaved\n");
    await send(editor, sessionId, "alter it");
    expect(readFileSync(file, "utf8")).toBe("mine\n");
    expect(sentTextOf(editor.updates)).toBe("donedonedone");
    await editor.leave();
  });

  it("are read from disk when the editor does not return them", async () => {
    const { editor, unsaved, cwd } = await open();
    const request = { cwd, mcpServers: [] };
    const { sessionId } = await editor.agent.request<NewSessionResponse>(session.new, request);
    // Without a text, the editor's answer is invalid.
    unsaved.set(join(cwd, "src/a.txt"), 5 as never);
    await send(editor, sessionId, "look please");
    expect(resultsOf(editor)).toContain("saved");
    expect(resultsOf(editor)).not.toContain("editor");
    await editor.leave();
  });
});
