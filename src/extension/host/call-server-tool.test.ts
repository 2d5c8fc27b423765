import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import {
  createExtensionFixture,
  testServer,
} from "../../../test/fixtures/mcp/extension-fixture.ts";
import { createFakeClock } from "../../../test/fixtures/fake-clock.ts";
import { imageBase64 } from "../../../test/fixtures/mcp/mcp-server.ts";
import { createToolFixture, type ToolFixture } from "../../../test/fixtures/tool-call.ts";
import type { StdioExtension } from "../../run/extension-config.ts";
import type { Tool } from "../../tool/tool.ts";

let fixture: ToolFixture;
beforeEach(() => {
  fixture = createToolFixture();
});

async function toolsOf(config: StdioExtension): Promise<(name: string) => Tool> {
  const { tools } = await createExtensionFixture().host.acquire("root", [config]);
  return (name) => {
    const tool = tools.find((one) => one.name === `mcp__test__${name}`);
    if (tool === undefined) throw new Error(`there is no ${name}`);
    return tool;
  };
}

it.each(["", "newer"])(
  "text, errors, structured output, images and descriptions of the rest come out of a server (%s)",
  async (generation) => {
    const tool = await toolsOf(testServer(generation));
    expect(await fixture.call(tool("echo"), { text: "a\nb" })).toEqual({ text: "a\nb" });
    expect(await fixture.call(tool("fail"), {})).toEqual({ text: "no such issue", isError: true });
    expect(await fixture.call(tool("everything"), {})).toEqual({
      output: { answer: 42 },
      images: [{ mediaType: "image/png", data: imageBase64 }],
      text: [
        "first",
        "[image 1, image/png, 70 bytes]",
        "[image, image/png, 8 bytes: not shown, it is not a PNG, JPEG, GIF or WebP]",
        "[audio, audio/wav, 3 bytes: audio is not supported]",
        "[resource file:///note.txt]\na note",
        "[resource file:///data, 3 bytes of binary data]",
        "[resource file:///more.md, text/markdown: more]",
      ].join("\n"),
    });
    const wrong = await fixture.call(tool("echo"), { text: 1 });
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toContain("text");
  },
);

it("a cancelled call is cancelled at the server too, after it reported its progress", async () => {
  const tool = await toolsOf(testServer());
  const log = join(fixture.workspace, "log");
  const cancel = new AbortController();
  const call = tool("wait").prepare({ log }, fixture);
  if ("problem" in call) throw new Error(call.problem);
  const calling = call.execute({ ...fixture.context, signal: cancel.signal });
  const failed = expect(calling).rejects.toThrow("enough");
  await vi.waitFor(() => expect(fixture.reports).toEqual(["1/2"]), 20_000);
  cancel.abort(new Error("enough"));
  await failed;
  await vi.waitFor(() => expect(readFileSync(log, "utf8")).toContain("cancelled"), 20_000);
});

it("a call without an answer ends at its time limit, which the run knows in advance", async () => {
  const clock = createFakeClock();
  const { raw, onlyTool, asked } = createExtensionFixture({ clock });
  const tool = await onlyTool({ ...raw("never-answers"), timeoutSeconds: 20 });
  expect(tool.prepare({}, fixture)).toMatchObject({
    quietMs: expect.toSatisfy((ms) => ms > 20_000),
  });
  const calling = fixture.call(tool, {});
  await vi.waitFor(() => expect(asked()).toContain("tools/call"), 20_000);
  clock.advance(20_000);
  const outcome = await calling;
  expect(outcome.isError).toBe(true);
  expect(outcome.text).toMatch(/did not answer "run" within 20 s.*effect is unknown/);
  await vi.waitFor(() => expect(asked()).toContain("notifications/cancelled"), 20_000);
  expect(clock.pending).toBe(0);
});

it("a server that dies during a call gives an error without its secrets, and the call is not repeated", async () => {
  const { raw, onlyTool, asked } = createExtensionFixture();
  const tool = await onlyTool({ ...raw("dies"), environment: { KEY: "correct horse" } });
  const outcome = await fixture.call(tool, {});
  expect(outcome.isError).toBe(true);
  expect(outcome.text).toMatch(
    /died in the middle of "run": it ended \(exit code 3\)[\s\S]*the key was \[secret\][\s\S]*not repeated, and its effect is unknown/,
  );
  expect(asked().filter((method) => method === "tools/call")).toHaveLength(1);
});

it("a second answer to a call is ignored", async () => {
  const { raw, onlyTool } = createExtensionFixture();
  const tool = await onlyTool(raw("twice"));
  expect(await fixture.call(tool, {})).toEqual({ text: "first" });
  expect(await fixture.call(tool, {})).toEqual({ text: "first" });
});

it("an answer of many megabytes ends the server, and Cadre continues", async () => {
  const { raw, onlyTool } = createExtensionFixture();
  const outcome = await fixture.call(await onlyTool(raw("huge")), {});
  expect(outcome).toMatchObject({ isError: true, text: expect.stringContaining("16 MiB") });
});

it("a server that stops reading is ended by the next call", async () => {
  const { raw, onlyTool } = createExtensionFixture();
  const tool = await onlyTool(raw("deaf"));
  expect(await fixture.call(tool, {})).toEqual({ text: "deaf now" });
  const outcome = await fixture.call(tool, {});
  expect(outcome.text).toContain("it stopped reading its input");
});

it.each([
  ["refuses", 'refused "run": no such tool (-32602)'],
  ["wrong-answer", "Invalid result for tools/call"],
])("an answer that %s is an error outcome", async (behaviour, text) => {
  const { raw, onlyTool } = createExtensionFixture();
  const outcome = await fixture.call(await onlyTool(raw(behaviour)), {});
  expect(outcome).toMatchObject({ isError: true, text: expect.stringContaining(text) });
});

it("arguments that are not an object are refused before the call", async () => {
  const { raw, onlyTool, asked } = createExtensionFixture();
  const tool = await onlyTool(raw("plain"));
  expect(await fixture.call(tool, ["a"])).toMatchObject({
    text: 'The arguments of mcp__raw__run must be a JSON object, got ["a"].',
  });
  expect(asked()).not.toContain("tools/call");
  expect(await fixture.call(tool, undefined)).toEqual({ text: "done" });
});

it("a server receives only the configured variables, and starts in the workspace", async () => {
  const { host, workspace } = createExtensionFixture({
    environment: { GIVEN: "named", HIDDEN: "not for you" },
  });
  const config = {
    ...testServer("${GIVEN}", "${HIDDEN}"),
    environmentKeys: ["GIVEN"],
    environment: { WRITTEN: "x ${GIVEN}" },
  };
  const { tools } = await host.acquire("root", [config]);
  const find = (name: string): Tool => tools.find((tool) => tool.name.endsWith(name)) as Tool;
  const names = ["GIVEN", "HIDDEN", "WRITTEN", "PATH"];
  const { text } = await fixture.call(find("environment"), { names });
  expect(JSON.parse(text)).toEqual(["named", null, "x named", process.env["PATH"]]);
  const process_ = JSON.parse((await fixture.call(find("process"), {})).text) as object;
  expect(process_).toMatchObject({ cwd: workspace, args: ["named", "${HIDDEN}"] });
  expect(existsSync(workspace)).toBe(true);
});
