import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { formatDiagnostic } from "../../../src/index.ts";
import type { CompletionCall } from "../../fixtures/chat-completion.ts";
import { agentCall, startModelServer, type ServerTurn } from "../../fixtures/model-server.ts";
import { eventually } from "../../fixtures/engine-fixture.ts";
import { createModelProject } from "../../fixtures/project.ts";
import { inThisProcess } from "../../fixtures/postgres/in-this-process.ts";

const write = (name: string): CompletionCall => ({
  tool: "Write",
  input: { file_path: name, content: "x" },
});

type Script = (turn: ServerTurn) => string | readonly CompletionCall[];

/** Creates a project with hooks in its configuration, and runs its main agent. */
async function runWith(hooks: Record<string, unknown>, script: Script, { trust = true } = {}) {
  const server = await startModelServer(script);
  const project = createModelProject(server);
  project.writeAgent("helper");
  project.write(".cadre/config.yaml", JSON.stringify({ hooks }));
  const cadre = await project.open({ trust });
  const run = await cadre.spawn({ agent: "main", task: "go" });
  const result = await run.result();
  const read = (name: string): string => readFileSync(join(project.folder, name), "utf8");
  const has = (name: string): boolean => existsSync(join(project.folder, name));
  return { server, cadre, run, result, read, has, cwd: realpathSync(project.folder) };
}

const command = (text: string, more: object = {}): object => ({
  hooks: [{ type: "command", command: text }],
  ...more,
});

const json = (value: object): string => `echo '${JSON.stringify(value)}'`;

const writing: Script = ({ turn, last }) =>
  turn === 0 ? [write("a.txt")] : `told: ${last.join(" | ")}`;

describe("a command before a tool call", () => {
  test("reads the call as JSON, and refuses it with exit code 2 and a reason", async () => {
    const hooks = { PreToolUse: [command("cat > seen.json; echo frozen >&2; exit 2")] };
    const { run, result, read, has, cwd } = await runWith(hooks, writing);
    expect(result.text).toContain("Permission denied for Write a.txt");
    expect(result.text).toContain("frozen");
    expect(has("a.txt")).toBe(false);
    expect(JSON.parse(read("seen.json"))).toEqual({
      hook_event_name: "PreToolUse",
      session_id: run.id,
      run_id: run.id,
      cwd,
      tool_name: "Write",
      tool_input: { file_path: "a.txt", content: "x" },
      tool_use_id: "tool/1/0",
    });
  });

  test.each([
    ["denies", { permissionDecision: "deny", permissionDecisionReason: "no writes" }, "no writes"],
    ["asks", { permissionDecision: "ask", permissionDecisionReason: "sure?" }, "Permission denied"],
  ])("%s by JSON", async (_title, own, message) => {
    const { result, has } = await runWith(
      { PreToolUse: [command(json({ hookSpecificOutput: own }), { matcher: "Edit|Write" })] },
      writing,
    );
    expect(result.text).toContain(message);
    expect(has("a.txt")).toBe(false);
  });

  test("changes the arguments; the next command sees the change", async () => {
    const own = { updatedInput: { file_path: "b.txt", content: "changed" } };
    const hooks = {
      PreToolUse: [command(json({ hookSpecificOutput: own })), command("cat > seen.json")],
    };
    const { read, has } = await runWith(hooks, writing);
    expect(read("b.txt")).toBe("changed");
    expect(has("a.txt")).toBe(false);
    expect(JSON.parse(read("seen.json"))).toMatchObject({ tool_input: { file_path: "b.txt" } });
  });

  test("grants nothing by `allow`", async () => {
    const own = { permissionDecision: "allow" };
    const outside: Script = ({ turn, last }) =>
      turn === 0 ? [write("../out.txt")] : last.join(" | ");
    const { has } = await runWith(
      { PreToolUse: [command(json({ hookSpecificOutput: own }))] },
      outside,
    );
    expect(has("../out.txt")).toBe(false);
  });

  test("is called only for the tools of its pattern, by their names in Claude Code too", async () => {
    const hooks = {
      PreToolUse: [
        command("echo a >> seen", { matcher: "Bash" }),
        command("echo b >> seen", { matcher: "Writ" }),
        command("echo c >> seen", { matcher: "Task" }),
        command("echo d >> seen", { matcher: "Writ." }),
      ],
    };
    const script: Script = ({ agent, turn }) =>
      agent === "main" && turn === 0 ? [write("a.txt"), agentCall("helper", "x")] : "done";
    const { read } = await runWith(hooks, script);
    expect(read("seen").trim().split("\n").toSorted()).toEqual(["c", "d"]);
  });

  test("that fails is a warning and the call continues; one that takes too long refuses", async () => {
    const failing = await runWith({ PreToolUse: [command("echo oops >&2; exit 7")] }, writing);
    expect(failing.has("a.txt")).toBe(true);
    expect(failing.result.warnings.join()).toContain("failed with exit code 7: oops");
    const slow = { hooks: [{ command: "sleep 600", timeout: 0.2 }] };
    const late = await runWith({ PreToolUse: [slow] }, writing);
    expect(late.has("a.txt")).toBe(false);
    expect(late.result.text).toContain("took longer than its timeout");
    expect(late.result.warnings.join()).toContain("took longer than its timeout");
    const silent = await runWith({ PreToolUse: [command("exit 7")] }, writing);
    expect(silent.result.warnings.join()).toMatch(/failed with exit code 7$/);
  });

  test("that cannot be started refuses, and the result tells the user why", async () => {
    const { result, run, has } = await runWith({ PreToolUse: [command("./guard.sh")] }, writing);
    expect(has("a.txt")).toBe(false);
    const warning =
      "The PreToolUse hook `./guard.sh` was not found, or it calls a command that was not found";
    expect(result.warnings).toEqual([warning]);
    const denied = (await run.journal()).find(
      (event) => event.type === "step-finished" && event.kind === "tool",
    );
    expect(denied).toMatchObject({ warning });
  });
});

test("commands after a call and around runs give the model context", async () => {
  const script: Script = ({ agent, turn }) => {
    if (agent !== "main") return "helped";
    return turn === 0 ? [agentCall("helper", "help")] : "done";
  };
  const context = (event: string, additionalContext: string): object =>
    command(json({ hookSpecificOutput: { hookEventName: event, additionalContext } }));
  const { server } = await runWith(
    {
      SessionStart: [command("echo the branch is main")],
      UserPromptSubmit: [context("UserPromptSubmit", "be brief")],
      SubagentStart: [{ ...context("SubagentStart", "you are a helper"), matcher: "helper" }],
      PostToolUse: [command(json({ decision: "block", reason: "check the tests" }))],
    },
    script,
  );
  const [main, helper, second] = server.turns;
  expect(main?.last.at(-1)).toBe("the branch is main\n\nbe brief");
  expect(helper?.last.at(-1)).toBe("you are a helper");
  expect(second?.last.at(-1)).toContain("check the tests");
});

test("a Stop command keeps the agent going until it is content", async () => {
  const script = 'input=$(cat); case "$input" in *\'"stop_hook_active":true\'*) exit 0;; esac';
  const { server, result } = await runWith(
    { Stop: [command(`${script}; echo run the tests >&2; exit 2`)] },
    ({ turn }) => `answer ${turn}`,
  );
  expect(result.text).toBe("answer 1");
  expect(server.turns[1]?.last).toEqual(["run the tests"]);
});

inThisProcess("The result is read from the journal, before the command has ended.")(
  "the command at the end of a session has ended when its result is there",
  async () => {
    const { read } = await runWith(
      { SessionEnd: [command("sleep 0.2; cat > end.json")] },
      () => "done",
    );
    expect(JSON.parse(read("end.json"))).toMatchObject({ reason: "other", status: "succeeded" });
  },
);

test("a command ends the run in place of a question, and its message is a warning", async () => {
  const stop = json({ continue: false, stopReason: "nobody is here", systemMessage: "ask later" });
  const asking = json({ hookSpecificOutput: { permissionDecision: "ask" } });
  const hooks = { PreToolUse: [command(asking)], PermissionRequest: [command(stop)] };
  const { result } = await runWith(hooks, writing);
  expect(result.failure?.message).toContain("nobody is here");
  expect(result.warnings.join()).toContain("ask later");
});

test.each([
  [json({ hookSpecificOutput: { permissionDecision: "Deny" } }), 'permissionDecision "Deny"'],
  [json({ permissionDecision: "deny" }), "outside of hookSpecificOutput"],
  [json({ decision: "blok" }), 'decision "blok"'],
  [`echo log; ${json({ decision: "block" })}`, "not one JSON object"],
])("an answer that decides nothing but looks like it is a warning: %s", async (text, message) => {
  const { result } = await runWith({ PreToolUse: [command(text)] }, writing);
  expect(result.warnings.join()).toContain(message);
});

test("several warnings of one answer are all there", async () => {
  const answer = json({ systemMessage: "look out", decision: "blok" });
  const { result } = await runWith({ PreToolUse: [command(answer)] }, writing);
  expect(result.warnings.join()).toMatch(/: look out\n[^]*the decision "blok"/);
});

test("a long text is cut once, and says how much is missing", async () => {
  const long = `printf '{"systemMessage":"%030000d"}' 0`;
  const { result } = await runWith({ PreToolUse: [command(long)] }, writing);
  const warning = result.warnings.find((one) => one.includes("0000")) ?? "";
  const [, left = ""] = /^[^]{10000}\n\[(\d+) more characters [^[]*$/.exec(warning) ?? [];
  const whole = `The PreToolUse hook \`${long}\`: `.length + 30_000;
  expect(Number(left)).toBe(whole - 10_000);
});

test("a command that writes without end is ended, and refuses its call", async () => {
  const { result, has } = await runWith({ PreToolUse: [command("yes")] }, writing);
  expect(result.text).toContain("wrote more than 1048576 bytes");
  expect(has("a.txt")).toBe(false);
});

test("a command is ended together with its run", async () => {
  const project = createModelProject(await startModelServer(writing));
  const text = "touch begun; sleep 600; touch late.txt";
  project.write(".cadre/config.yaml", JSON.stringify({ hooks: { PreToolUse: [command(text)] } }));
  const cadre = await project.open({ trust: true });
  const run = await cadre.spawn({ agent: "main", task: "go" });
  await eventually(() => existsSync(join(project.folder, "begun")) || undefined);
  expect(await run.cancel()).toBe(true);
  await cadre.close();
  expect(existsSync(join(project.folder, "late.txt"))).toBe(false);
}, 60_000);

test("a command ends the run with its reason", async () => {
  const stop = json({ continue: false, stopReason: "the budget is spent" });
  const { result } = await runWith({ UserPromptSubmit: [command(stop)] }, () => "done");
  expect(result).toMatchObject({ status: "failed", failure: { code: "permission-denied" } });
  expect(result.failure?.message).toContain("the budget is spent");
});

test("commands of a folder that is not trusted are not executed, and that is reported", async () => {
  const hooks = { PreToolUse: [command("touch hooked; exit 2")] };
  const { cadre, has } = await runWith(hooks, writing, { trust: false });
  expect(has("hooked")).toBe(false);
  expect(has("a.txt")).toBe(true);
  const reported = cadre.configuration.diagnostics.map((one) => formatDiagnostic(one));
  expect(reported.join("\n")).toContain("hooks.PreToolUse");
});

test.each([
  [{ PreToolUs: [] }, "`hooks.PreToolUs` is not a known setting"],
  [{ PreToolUse: [{ matcher: "(", hooks: [] }] }, "or a regular expression, got `(`"],
  [{ PreToolUse: [{ hooks: [{ type: "prompt", command: "x" }] }] }, "hooks.PreToolUse"],
])("a wrong hook %j is an error of the configuration", async (hooks, message) => {
  const project = createModelProject();
  project.write(".cadre/config.yaml", JSON.stringify({ hooks }));
  const cadre = await project.open({ trust: true });
  const reported = cadre.configuration.diagnostics.map((one) => formatDiagnostic(one));
  expect(reported.join("\n")).toContain(message);
});
