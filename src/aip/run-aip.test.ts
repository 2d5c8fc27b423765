import { expect, test } from "vitest";
import { createAipProject } from "../../test/fixtures/aip/aip-project.ts";

const lua = (code: string): string => `\`\`\`lua\n${code}\n\`\`\`\n`;

test("stages run in order and pass on their results", async () => {
  const { run, asked } = createAipProject({
    answer: ({ messages }) => `<${messages[0]?.text.trim()}>`,
  });
  const response = await run(
    [
      "# Options\n```toml\nmodel = 'fast'\ntemperature = 0.2\n[model_aliases]\nfast = 'small-1'\n```",
      "# Before All\n" + lua("return { greeting = 'Hello', count = #inputs }"),
      "# Data\n" + lua("return { name = input:upper(), of = before_all.count }"),
      "# System\nBe {{before_all.greeting}}.\n",
      "# Instruction\n{{data.name}} of {{data.of}} <&>\n",
      "# Output\n" +
        lua("return { text = ai_response.content, was = input, model = options.resolved_model }"),
      "# After All\n" + lua("return { first = outputs[1].text, all = #outputs, inputs = inputs }"),
    ].join("\n"),
    { inputs: ["ann", "bob"] },
  );
  expect(response).toEqual({
    outputs: [
      { text: "<ANN of 2 <&>>", was: "ann", model: "small-1" },
      { text: "<BOB of 2 <&>>", was: "bob", model: "small-1" },
    ],
    after_all: { first: "<ANN of 2 <&>>", all: 2, inputs: ["ann", "bob"] },
  });
  expect(asked[0]).toMatchObject({
    system: "Be Hello.\n",
    model: "small-1",
    temperature: 0.2,
    input: 0,
  });
});

test("the end of each script counts as activity", async () => {
  const { run, port } = createAipProject();
  let signs = 0;
  port.onProgress = () => (signs += 1);
  const inputs = Array.from({ length: 200 }, (_, index) => index);
  const { outputs } = await run(
    "# Data\n" + lua("return input") + "# Output\n" + lua("return data"),
    {
      inputs,
    },
  );
  expect(outputs).toEqual(inputs);
  expect(signs).toBe(400);
});

test("without Output the output is the model's text, and without prompt text the model is not asked", async () => {
  const { run, asked } = createAipProject({ answer: () => "an answer" });
  expect(await run("# User\nHi\n")).toEqual({ outputs: ["an answer"], after_all: null });
  const silent = await run(
    "# User\n{{#if data}}Hi{{/if}}\n\n# Output\n" + lua("return ai_response == nil"),
  );
  expect(silent.outputs).toEqual([true]);
  expect(asked).toHaveLength(1);
});

test("a stage can skip its input or the whole run, and change inputs, data and options", async () => {
  const { run, asked, reports } = createAipProject({ answer: ({ model }) => model ?? "none" });
  const text =
    "# Before All\n" +
    lua(
      "return aip.flow.before_all_response({ inputs = { 'a', 'b', 'c' }, before_all = 7, options = { model = 'm1' } })",
    ) +
    "# Data\n" +
    lua(
      "if input == 'b' then return aip.flow.skip('not this') end\n" +
        "if input == 'c' then return aip.flow.data_response({ input = 'C', data = before_all, options = { model = 'm2' } }) end",
    ) +
    "# User\n{{input}} {{data}}\n";
  expect(await run(text)).toEqual({ outputs: ["m1", null, "m2"], after_all: null });
  expect(asked.map(({ messages }) => messages[0]?.text.trim())).toEqual(["a", "C 7"]);
  expect(reports).toEqual([{ type: "skip", reason: "not this", input: 1 }]);
  const skipped = await run(
    "# Before All\n" + lua("return aip.flow.skip('later')") + "# User\nHi\n",
  );
  expect(skipped).toEqual({ outputs: [], after_all: null, skipped: "later" });
});

test("an agent can request a redo only from Before All and After All, and a limited number of times", async () => {
  const { run } = createAipProject({ limits: { redos: 2 } });
  const again = "return (CTX.REDO_COUNT or 0) < 2 and aip.flow.redo_run() or CTX.REDO_COUNT";
  expect((await run("# After All\n" + lua(again))).after_all).toBe(2);
  await expect(run("# Before All\n" + lua("return aip.flow.redo_run()"))).rejects.toThrow(
    /requested a redo more than 2 times/,
  );
  await expect(run("# Data\n" + lua("return aip.flow.redo_run()"))).rejects.toThrow(
    "aip.flow.redo_run() can be returned only from # Before All or # After All stages. Returned from # Data stage.",
  );
});

test("an agent whose caller decides about redos returns its result", async () => {
  const { run } = createAipProject();
  const last = "# Output\n" + lua("return 1") + "# After All\n" + lua("return aip.flow.redo_run()");
  expect(await run(last, { reportsRedo: true })).toEqual({
    outputs: [1],
    after_all: null,
    redo_requested: true,
  });
  const first = "# Before All\n" + lua("return aip.flow.redo_run()");
  expect(await run(first, { reportsRedo: true })).toEqual({
    outputs: [],
    after_all: null,
    redo_requested: true,
  });
});

test("CTX contains the stage and the calling run", async () => {
  const { run, port } = createAipProject();
  const fields = "{ CTX.STAGE, CTX.PARENT_RUN_UID or 'none' }";
  const text =
    "# Before All\n" +
    lua(`return ${fields}`) +
    "# Data\n" +
    lua(`return ${fields}`) +
    "# Output\n" +
    lua(`return { before_all, data, ${fields} }`) +
    "# After All\n" +
    lua(`return ${fields}`);
  expect(await run(text)).toEqual({
    outputs: [
      [
        ["BeforeAll", "none"],
        ["Data", "none"],
        ["Output", "none"],
      ],
    ],
    after_all: ["AfterAll", "none"],
  });
  port.parentRunId = "run-0";
  expect((await run(text)).after_all).toEqual(["AfterAll", "run-0"]);
});

test("the first failing input ends the run, unless failures are allowed", async () => {
  const { run, reports } = createAipProject();
  const data = "# Data\n" + lua("if input == 2 then error('two is bad') end");
  await expect(run(data, { inputs: [1, 2, 3] })).rejects.toThrow(
    "agent.aip:3 (# Data): two is bad",
  );
  const allowed = await run(
    `# Options\n\`\`\`toml\nallow_run_on_task_fail = true\n\`\`\`\n${data}`,
    {
      inputs: [1, 2, 3],
    },
  );
  expect(allowed.outputs).toEqual([null, { error: "agent.aip:7 (# Data): two is bad" }, null]);
  const text = "input 2 of 3 failed: agent.aip:7 (# Data): two is bad";
  expect(reports).toEqual([{ type: "warning", text }]);
  const options = { allow_run_on_task_fail: true };
  const called = await run(data, { inputs: [1, 2, 3], options });
  const code =
    "return aip.flow.before_all_response({ options = { allow_run_on_task_fail = true } })";
  const staged = await run("# Before All\n" + lua(code) + data, { inputs: [1, 2, 3] });
  for (const { outputs } of [called, staged])
    expect(outputs).toEqual([null, { error: expect.stringContaining("two is bad") }, null]);
});

test("several inputs run concurrently, and outputs keep the order of the inputs", async () => {
  let open = 0;
  let most = 0;
  let release = (): void => undefined;
  const both = new Promise<void>((resolve) => (release = resolve));
  const { run } = createAipProject({
    async answer({ input }) {
      open += 1;
      most = Math.max(most, open);
      if (open === 2) release();
      await both;
      open -= 1;
      return `answer ${input}`;
    },
  });
  const options = { input_concurrency: 2 };
  const response = await run("# User\n{{input}}\n", { inputs: ["a", "b", "c", "d"], options });
  expect(response.outputs).toEqual(["answer 0", "answer 1", "answer 2", "answer 3"]);
  expect(most).toBe(2);
});

test("a resume takes everything from the record: files, clocks, random numbers and models", async () => {
  const { run, asked, steps, write, record } = createAipProject({ answer: () => "once" });
  const text =
    "# Data\n" +
    lua(
      "aip.file.append('log.txt', 'x')\n" +
        "return { log = aip.file.load('log.txt').content, id = aip.uuid.new(), at = aip.time.now_utc_micro(), dice = math.random(1, 1e9), os = os.time() }",
    ) +
    "# User\nHi\n# Output\n" +
    lua("return data");
  const first = await run(text);
  write("log.txt", "changed meanwhile");
  const size = record.size;
  steps.length = 0;
  const second = await run(text);
  expect(second).toEqual(first);
  expect(asked).toHaveLength(1);
  expect(record.size).toBe(size);
  expect(steps.every(({ wasRecorded }) => wasRecorded)).toBe(true);
});

test("a failure of the host is recorded, so that a script that caught it takes the same path", async () => {
  const { run, write } = createAipProject();
  const text =
    "# Data\n" +
    lua("return pcall(aip.file.load, 'late.txt') and 'there' or 'missing'") +
    "# Output\n" +
    lua("return data");
  expect((await run(text)).outputs).toEqual(["missing"]);
  write("late.txt", "now it is");
  expect((await run(text)).outputs).toEqual(["missing"]);
});

test("caching marks in headings are templates, and attached files come first", async () => {
  const { run, asked, write } = createAipProject({ answer: () => "ok" });
  write("pic.png", "png");
  await run(
    "# Data\n" +
      lua(
        "return aip.flow.data_response({ data = { keep = true }, attachments = { { file_source = 'pic.png', title = 'A' }, { file_source = '/etc/passwd' }, { file_source = 'gone.png' } } })",
      ) +
      "# System `cache = {{data.keep}}`\nSay\n# User `cache = false`\nHi\n# Mind Trick\nSure\n",
  );
  expect(asked[0]?.isSystemCached).toBe(true);
  const [picture, refused, gone, user, assistant] = asked[0]?.messages ?? [];
  expect(picture).toMatchObject({ role: "user", attachment: expect.stringMatching(/pic\.png$/) });
  expect(refused?.text).toMatch(/\/etc\/passwd cannot be attached: .*outside the workspace/);
  expect(gone?.text).toMatch(/gone\.png cannot be attached: there is no file/);
  expect(user).toEqual({ role: "user", text: "Hi\n", isCached: false });
  expect(assistant).toEqual({ role: "assistant", text: "Sure\n", isCached: false });
});

test("an invalid template is an error with its place", async () => {
  const { run } = createAipProject();
  await expect(run("# System\nfine\n# User\nok\n{{#if a}}\n")).rejects.toThrow(
    /^agent\.aip:\d+ \(# Instruction\): Parse error/,
  );
});

test("an abort ends the agent with its reason, even while a script runs or waits", async () => {
  const stop = new AbortController();
  const { run } = createAipProject({
    signal: stop.signal,
    agent: () => {
      stop.abort(new Error("enough"));
      return new Promise(() => undefined);
    },
  });
  await expect(run("# Data\n" + lua("aip.agent.run('other')"))).rejects.toThrow("enough");
  const busy = new AbortController();
  const { run: runBusy, port } = createAipProject({ signal: busy.signal });
  port.report = () => busy.abort(new Error("stop it"));
  await expect(runBusy("# Data\n" + lua("print('here') while true do end"))).rejects.toThrow(
    "stop it",
  );
});

test("a script with too many calls outside Lua is stopped, and no further call is recorded", async () => {
  const { run, record } = createAipProject({ limits: { calls: 3, seconds: 0.5 } });
  const forever = "# Data\n" + lua("while true do pcall(aip.time.now_iso_utc) end");
  await expect(run(forever)).rejects.toThrow(/took longer than 0\.5 s/);
  expect([...record.keys()]).toEqual([
    "aip/seed",
    ...[1, 2, 3].map((n) => `aip/data/0/${n}-time.now`),
  ]);
});

test("a file with invalid options does not run", async () => {
  const { run } = createAipProject();
  await expect(run("# Options\n```toml\nmodel = \n```\n# User\nHi\n")).rejects.toMatchObject({
    code: "definition-invalid",
  });
});

test("CTX names the agent of a pack", async () => {
  const { run, workspace } = createAipProject();
  const pack = { namespace: "my", name: "tool", folder: workspace };
  const text =
    "# Output\n" +
    lua("return { CTX.PACK_REF, CTX.PACK_IDENTITY, CTX.PACK_SUB_PATH or 'none', CTX.PACK_DIR }");
  expect((await run(text, { name: "my@tool", pack })).outputs).toEqual([
    ["my@tool", "my@tool", "none", workspace],
  ]);
  expect((await run(text, { name: "my@tool/in/deep", pack })).outputs).toEqual([
    ["my@tool/in/deep", "my@tool", "in/deep", workspace],
  ]);
});
