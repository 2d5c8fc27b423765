import { agent, client, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { createV1Editor } from "../v1/v1-editor.ts";
import type { Editor } from "../editor/editor.ts";
import { readEditorText } from "./read-editor-text.ts";

/** Connects an agent to an editor that answers with the results of `read`. */
function connect(read: (path: string) => Promise<string>): Editor {
  const [up, down] = [new TransformStream(), new TransformStream()];
  client({ name: "editor" })
    .onRequest(methods.client.fs.readTextFile, async ({ params }) => ({
      content: await read(params.path),
    }))
    .connect(ndJsonStream(up.writable, down.readable));
  const { client: context } = agent({ name: "agent" }).connect(
    ndJsonStream(down.writable, up.readable),
  );
  return createV1Editor(context, () => ({ fs: { readTextFile: true } }));
}

const fixture = { sessionId: "s", log: () => undefined };
const { signal } = new AbortController();

test("an editor that does not answer in time is left out, with a line in the log", async () => {
  const cwd = temporaryFolder();
  const lines: string[] = [];
  const hanging = connect(() => new Promise<never>(() => undefined));
  const log = (line: string): void => void lines.push(line);
  const read = readEditorText({ ...fixture, editor: hanging, cwd, log, maxMs: 20 });
  expect(await read(`${cwd}/a.txt`, signal)).toBeUndefined();
  expect(lines).toEqual([`The editor did not give ${cwd}/a.txt within 0.02 s.`]);
});

test("a file that the editor refuses is read from the disk, and a cancelled call ends", async () => {
  const cwd = temporaryFolder();
  const refusing = connect(async () => {
    throw new Error("not in the project");
  });
  const read = readEditorText({ ...fixture, editor: refusing, cwd });
  expect(await read(`${cwd}/a.txt`, signal)).toBeUndefined();
  const ending = AbortSignal.abort(new Error("cancelled"));
  await expect(read(`${cwd}/a.txt`, ending)).rejects.toThrow("cancelled");
});
