import { join } from "node:path";
import { expect, test } from "vitest";
import { createAipProject } from "../../../test/fixtures/aip/aip-project.ts";
import { runAip } from "../run-aip.ts";

test("modules come from the agent's lua folder, then from the pack's", async () => {
  const project = createAipProject();
  const { write, load, port, home } = project;
  const folder = join(home, ".aipack-base/pack/installed/ns/p");
  write(
    join(folder, "lua/common.lua"),
    "return { from = 'pack', file = aip.file.load('ns@p/t.md').content, id = CTX.PACK_IDENTITY }",
  );
  write(
    join(folder, "sub/lua/own.lua"),
    "local c = require('common') return { c.from, c.file, c.id, require('deep.inner') }",
  );
  write(join(folder, "sub/lua/deep/inner.lua"), "return 'inner'");
  write(join(folder, "t.md"), "text");
  const path = write(
    join(folder, "sub/main.aip"),
    "# After All\n```lua\nreturn require('own')\n```\n",
  );
  const pack = { namespace: "ns", name: "p", folder };
  const response = await runAip(load(path), { name: "ns@p/sub", pack }, port);
  expect(response.after_all).toEqual(["pack", "text", "ns@p", "inner"]);
  await expect(project.evaluate("require('nothing')")).rejects.toThrow(
    /module 'nothing' not found; looked for: .*lua\/nothing\.lua/,
  );
});

test("commands and requests need permission, and return their results", async () => {
  const project = createAipProject({
    refuse: ({ kind, subject }) => (subject.includes("rm") ? `${kind} refused` : undefined),
    web: ({ url, method, headers, body }) => ({
      status: url.endsWith("/no") ? 404 : 200,
      url,
      headers: { "content-type": "application/json" },
      content: JSON.stringify({ method, headers, body }),
    }),
  });
  const { steps } = project;
  const value = await project.evaluate(`
    local done = aip.cmd.exec("sh", { "-c", "echo out; echo err >&2; exit 3" })
    local page = aip.web.get("https://e.com/no")
    local sent = aip.web.post("https://e.com/p", { a = 1 }, { parse = true, user_agent = aip.web.UA_BROWSER })
    return {
      done, aip.cmd.exec("echo", "hello world").stdout,
      select(2, pcall(aip.cmd.exec, "rm", { "-r" })), select(2, pcall(aip.cmd.exec, "no-such-command")),
      { page.success, page.status, page.error }, sent.content,
    }`);
  expect(value).toEqual([
    { stdout: "out\n", stderr: "err\n", exit: 3 },
    "hello world\n",
    "command refused",
    "no-such-command cannot be started: ENOENT",
    [false, 404, "HTTP 404"],
    {
      method: "POST",
      headers: {
        "user-agent": expect.stringMatching(/^Mozilla/),
        "content-type": "application/json",
      },
      body: '{"a":1}',
    },
  ]);
  expect(
    steps.flatMap(({ act }) => (act === undefined ? [] : [`${act.kind} ${act.subject}`])),
  ).toEqual([
    "command sh -c echo out; echo err >&2; exit 3",
    "web https://e.com/no",
    "web https://e.com/p",
    "command echo hello world",
    "command rm -r",
    "command no-such-command",
  ]);
});

test("a request to a private address is an error that a script can catch", async () => {
  const project = createAipProject();
  expect(
    await project.evaluate("return select(2, pcall(aip.web.get, 'http://127.0.0.1/'))"),
  ).toContain("not public");
});

test("another agent gets inputs and options and returns its response", async () => {
  const project = createAipProject({
    agent: ({ reference }) => ({
      outputs: [null, reference],
      after_all: reference === "a" ? { x: 1 } : null,
    }),
  });
  const { called, workspace } = project;
  const value = await project.evaluate(`
    local a = aip.agent.run("a", { input = "one", inputs = { "two" }, options = { model = "m" } })
    local b = aip.agent.run("ns@b/c", { agent_base_dir = "sub" })
    return { a.after_all.x, is_null(a.outputs[1]), a.outputs[2], b.after_all == nil }`);
  expect(value).toEqual([1, true, "a", true]);
  expect(called).toEqual([
    { reference: "a", from: workspace, inputs: ["one", "two"], options: { model: "m" } },
    { reference: "ns@b/c", from: join(workspace, "sub"), inputs: undefined, options: {} },
  ]);
  await expect(
    project.evaluate("aip.agent.run('a', { options = { temperature = 'hot' } })"),
  ).rejects.toThrow(/agent\.aip:3 \(# Data\): aip\.agent\.run: the option temperature is invalid/);
});

test("labels, pins and prints are reported with their input", async () => {
  const project = createAipProject();
  const { reports } = project;
  await project.evaluate(`
    aip.run.set_label("Run") aip.task.pin("p", 2, { label = "L", content = "C" })
    aip.run.pin("q", { score = 1 }) print("hi")`);
  expect(reports).toEqual([
    { type: "label", scope: "run", label: "Run", input: 0 },
    { type: "pin", scope: "task", iden: "p", priority: 2, label: "L", content: "C", input: 0 },
    {
      type: "pin",
      scope: "run",
      iden: "q",
      priority: null,
      label: null,
      content: '{"score":1}',
      input: 0,
    },
    { type: "print", text: "hi", input: 0 },
  ]);
});
