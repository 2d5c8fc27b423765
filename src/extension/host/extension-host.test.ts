import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import {
  createExtensionFixture,
  testServer,
} from "../../../test/fixtures/mcp/extension-fixture.ts";
import { createFakeClock } from "../../../test/fixtures/fake-clock.ts";
import { createToolFixture } from "../../../test/fixtures/tool-call.ts";
import type { StdioExtension } from "../../run/extension-config.ts";

/** Reads a process's command line, which no longer exists after the process has died, reaped or not. */
function isRunning(pid: number): boolean {
  const path = `/proc/${pid}/cmdline`;
  return existsSync(path) && readFileSync(path, "utf8") !== "";
}

it("two runs of a family share one process, and other families have their own", async () => {
  const { host, raw, asked } = createExtensionFixture();
  const [first, second] = await Promise.all([
    host.acquire("family", [raw("plain")]),
    host.acquire("family", [raw("plain")]),
  ]);
  expect(first.tools.map(({ name }) => name)).toEqual(["mcp__raw__run"]);
  expect(second.tools.map(({ name }) => name)).toEqual(["mcp__raw__run"]);
  expect(asked().filter((method) => method === "initialize")).toHaveLength(1);
  await host.acquire("other", [raw("plain")]);
  expect(asked().filter((method) => method === "initialize")).toHaveLength(2);
});

it("runs with different tools of a server share its process too", async () => {
  const { host, raw, asked } = createExtensionFixture();
  const config = raw("odd-tools");
  const [all, some] = await Promise.all([
    host.acquire("family", [config]),
    host.acquire("family", [{ ...config, allow: ["get_issue"], timeoutSeconds: 7 }]),
  ]);
  expect(all.tools.length).toBeGreaterThan(1);
  expect(some.tools.map(({ name }) => name)).toEqual(["mcp__raw__get_issue"]);
  expect(asked().filter((method) => method === "initialize")).toHaveLength(1);
});

it("a command that cannot be started is an error that does not quote it", async () => {
  const { host, raw } = createExtensionFixture();
  const config = { ...raw("plain"), args: ["--key", "hush\0hush"] };
  const failed = host.acquire("family", [config]);
  await expect(failed).rejects.toThrow("could not be started (ERR_INVALID_ARG_VALUE)");
  await expect(failed).rejects.not.toThrow("hush");
});

it("releasing a family leaves no process running, including those outside its process group", async () => {
  const { host, raw, asked } = createExtensionFixture();
  await host.acquire("family", [raw("family")]);
  const pid = Number(
    asked()
      .find((line) => line.startsWith("child "))
      ?.slice(6),
  );
  expect(isRunning(pid)).toBe(true);
  await host.release("family");
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 20_000);
});

it("a released family can be acquired again, and a closed host cannot", async () => {
  const { host, raw, asked } = createExtensionFixture();
  const old = await host.acquire("family", [raw("plain")]);
  await host.release("family");
  await host.acquire("family", [raw("plain")]);
  expect(asked().filter((method) => method === "initialize")).toHaveLength(2);
  await host.close();
  await expect(host.acquire("family", [raw("plain")])).rejects.toMatchObject({ code: "closed" });
  const [tool] = old.tools;
  if (tool === undefined) throw new Error("a tool was expected");
  const outcome = await createToolFixture().call(tool, {});
  expect(outcome).toMatchObject({ isError: true, text: expect.stringContaining("was stopped") });
});

it("without extensions nothing is started", async () => {
  const { host } = createExtensionFixture();
  expect(await host.acquire("family", [])).toMatchObject({ tools: [], warnings: [] });
});

it("two extensions of the same name are refused", async () => {
  const { host, raw } = createExtensionFixture();
  const twins = host.acquire("family", [raw("plain"), { ...raw("plain"), command: "other" }]);
  await expect(twins).rejects.toMatchObject({ code: "invalid-argument" });
});

it("a server that exits at its start fails the acquisition with its last words, and without its secrets", async () => {
  const { host, raw } = createExtensionFixture({ environment: { KEY: "hunter2-hunter2" } });
  const config = { ...raw("exits"), environmentKeys: ["KEY"] };
  const failed = host.acquire("family", [config]);
  await expect(failed).rejects.toMatchObject({
    code: "tool-unavailable",
    message: expect.stringMatching(
      /MCP server raw \(command .*node.*\) cannot be used: it ended \(exit code 1\).*\n.*first line\ncannot find the database \[secret\]/,
    ),
    details: { extension: "raw" },
  });
});

it("a command that is not found fails the acquisition, with all other failures in one error", async () => {
  const { host, raw } = createExtensionFixture();
  const missing = { ...raw("plain"), name: "missing", command: "no-such-command-anywhere" };
  const nowhere = { ...raw("plain"), name: "nowhere", cwd: "/no/such/folder" };
  const failed = host.acquire("family", [missing, raw("plain"), nowhere]);
  await expect(failed).rejects.toThrow(
    /missing.*command no-such-command-anywhere was not found[\s\S]*nowhere.*folder \/no\/such\/folder does not exist/,
  );
  // Working servers are kept for the next acquisition.
  expect((await host.acquire("family", [raw("plain")])).tools).toHaveLength(1);
});

it("a server that never completes the handshake fails the acquisition at the time limit", async () => {
  const clock = createFakeClock();
  const { host, raw, asked } = createExtensionFixture({ clock });
  const acquiring = host.acquire("family", [raw("silent")]);
  const failed = expect(acquiring).rejects.toThrow(
    "cannot be used: it did not answer the initialization within 60 s",
  );
  await vi.waitFor(() => expect(asked()).toEqual(["initialize"]), 20_000);
  clock.advance(60_000);
  await failed;
  expect(clock.pending).toBe(0);
});

it("a run may stop waiting for a server, which still starts for the other runs", async () => {
  const { host, raw } = createExtensionFixture();
  const cancel = new AbortController();
  const one = host.acquire("family", [raw("plain")], cancel.signal);
  const other = host.acquire("family", [raw("plain")]);
  cancel.abort(new Error("not needed any more"));
  await expect(one).rejects.toThrow("not needed any more");
  expect((await other).tools).toHaveLength(1);
});

it("releasing a family while its server starts ends the start", async () => {
  const { host, raw, asked } = createExtensionFixture();
  const failed = expect(host.acquire("family", [raw("silent")])).rejects.toMatchObject({
    code: "closed",
  });
  await vi.waitFor(() => expect(asked()).toEqual(["initialize"]), 20_000);
  await host.release("family");
  await failed;
});

it("lines that are not messages are ignored, and an endless line ends the server", async () => {
  const { host, raw } = createExtensionFixture();
  const { tools } = await host.acquire("family", [raw("floods")]);
  expect(tools).toHaveLength(1);
  await expect(host.acquire("other", [raw("one-line")])).rejects.toThrow(
    "a message of more than 16 MiB",
  );
});

it("a server with only the newer protocol works too", async () => {
  const { host } = createExtensionFixture();
  const { tools } = await host.acquire("family", [testServer("newer")]);
  const echo = tools.find(({ name }) => name === "mcp__test__echo");
  if (echo === undefined) throw new Error("a tool was expected");
  expect(await createToolFixture().call(echo, { text: "hi" })).toEqual({ text: "hi" });
});

it("a server that died is restarted for the next call, with a growing delay, at most three times", async () => {
  const clock = createFakeClock();
  const { workspace, raw, onlyTool, asked } = createExtensionFixture({ clock });
  const mark = join(workspace, "mark");
  writeFileSync(mark, "");
  const { call } = createToolFixture();
  const tool = await onlyTool(raw("dies-while", mark));
  const starts = (): number => asked().filter((method) => method === "initialize").length;
  expect((await call(tool, {})).text).toContain("died in the middle");
  for (const [count, delayMs] of [500, 1000, 2000].entries()) {
    const calling = call(tool, {});
    await vi.waitFor(() => expect(clock.pending).toBe(1), 20_000);
    clock.advance(delayMs - 1);
    expect(starts()).toBe(count + 1);
    clock.advance(1);
    expect((await calling).text).toContain("died in the middle");
    expect(starts()).toBe(count + 2);
  }
  const givenUp = await call(tool, {});
  expect(givenUp.isError).toBe(true);
  expect(givenUp.text).toContain("it was restarted 3 times in a row and ended every time");
  expect(givenUp.text).toContain("The tool was not called.");
});

it("an answer resets the restarts of a server", async () => {
  const clock = createFakeClock();
  const { workspace, raw, onlyTool } = createExtensionFixture({ clock });
  const mark = join(workspace, "mark");
  const { call } = createToolFixture();
  const tool = await onlyTool(raw("dies-while", mark));
  for (let round = 0; round < 4; round += 1) {
    writeFileSync(mark, "");
    expect((await call(tool, {})).text).toContain("died in the middle");
    rmSync(mark);
    const calling = call(tool, {});
    await vi.waitFor(() => expect(clock.pending).toBe(1), 20_000);
    clock.advance(500);
    expect(await calling).toEqual({ text: "alive" });
  }
});

it("a tool that a server adds is offered to later runs", async () => {
  const { host } = createExtensionFixture();
  const config: StdioExtension = testServer();
  const { tools } = await host.acquire("family", [config]);
  const names = async (): Promise<string[]> =>
    (await host.acquire("family", [config])).tools.map(({ name }) => name);
  expect(await names()).not.toContain("mcp__test__grown");
  const grow = tools.find(({ name }) => name === "mcp__test__grow");
  if (grow === undefined) throw new Error("a tool was expected");
  await createToolFixture().call(grow, {});
  await vi.waitFor(async () => expect(await names()).toContain("mcp__test__grown"), 20_000);
});
