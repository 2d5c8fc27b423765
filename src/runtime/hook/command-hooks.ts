// Commands as hooks, by the protocol of Claude Code.

import {
  createMatcher,
  eventsWithoutName,
  type HookCommand,
  type HookCommands,
  type HookEvent,
  hookEvents,
  showHookCommand,
} from "../../run/hook/hook-commands.ts";
import { joinDecisions } from "../../engine/hook/consult-hooks.ts";
import type {
  Decisions,
  HookContext,
  HookedCall,
  HookedRun,
  Hooks,
} from "../../engine/hook/hooks.ts";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import { readHookAnswer } from "./hook-answer.ts";
import { type HookCommandContext, runHookCommand } from "./run-hook-command.ts";

/** Names of tools in Claude Code that differ from Cadre's. */
const foreignNames: Readonly<Record<string, string>> = { Agent: "Task" };

/** Each command has its own timeout. */
const noTimeoutMs = 2 ** 31 - 1;

/** Calls the commands for an event about `subject`, which is matched against their patterns. */
type Call = (
  event: HookEvent,
  subject: string,
  input: JsonObject,
  context?: HookContext,
) => Promise<Decisions>;

/**
 * Creates hooks from commands. Commands read JSON on standard input, and decide by exit code 2 or by JSON on standard output. The
 * commands of an event run in order, and identical ones run once. `name` is shown in messages.
 */
export function createCommandHooks(
  commands: HookCommands,
  name: string,
  hookContext: HookCommandContext,
): Hooks {
  const find = createFinder(commands);
  const call: Call = async (event, subject, input, context) =>
    await callCommands(find(event, subject), hookContext, {
      event,
      input,
      signal: context?.signal,
    });
  const hooks: Hooks = { ...aroundRuns(call), ...aroundCalls(call) };
  const isUsed = ([point]: [string, unknown]): boolean =>
    (eventsOf[point] ?? []).some((event) => commands[event] !== undefined);
  // Points without commands are not consulted.
  const used = Object.fromEntries(Object.entries(hooks).filter(isUsed));
  return { name, timeoutMs: noTimeoutMs, ...used };
}

/** The events of each point. */
const eventsOf: Readonly<Record<string, readonly HookEvent[]>> = {
  beforeRun: ["SessionStart", "UserPromptSubmit", "SubagentStart"],
  beforeTool: ["PreToolUse"],
  afterTool: ["PostToolUse"],
  beforeQuestion: ["PermissionRequest"],
  beforeCompaction: ["PreCompact"],
  beforeEnd: ["Stop", "SubagentStop"],
  afterRun: ["SessionEnd"],
};

/** Creates the search for the commands of an event. Patterns are compiled once. */
function createFinder(
  commands: HookCommands,
): (event: HookEvent, subject: string) => HookCommand[] {
  const groups = new Map(
    hookEvents.map((event) => [
      event,
      (commands[event] ?? []).map((group) => ({
        hooks: group.hooks,
        matches: eventsWithoutName.has(event) ? () => true : createMatcher(group),
      })),
    ]),
  );
  return (event, subject) => {
    const names = [subject, foreignNames[subject] ?? subject];
    const found = (groups.get(event) ?? []).filter(({ matches }) => names.some(matches));
    const all = found.flatMap(({ hooks }) => hooks);
    return [...new Map(all.map((hook) => [JSON.stringify(hook), hook])).values()];
  };
}

function aroundRuns(call: Call): Hooks {
  return {
    async beforeRun(run, context) {
      const about = toRunFields(run);
      if (run.parentId !== null) return await call("SubagentStart", run.agent, about, context);
      const started = { ...about, source: "startup" };
      const start = await call("SessionStart", "startup", started, context);
      if (start.stop !== undefined) return start;
      const submitted = { ...about, prompt: run.task };
      return joinDecisions(start, await call("UserPromptSubmit", "", submitted, context));
    },
    async beforeCompaction(at, context) {
      return await call("PreCompact", "auto", { ...toRunFields(at), trigger: "auto" }, context);
    },
    async beforeEnd({ isContinued, text, ...run }, context) {
      const input = {
        ...toRunFields(run),
        stop_hook_active: isContinued,
        last_assistant_message: text,
      };
      return run.parentId === null
        ? await call("Stop", "", input, context)
        : await call("SubagentStop", run.agent, input, context);
    },
    async afterRun(run, { status }) {
      if (run.parentId !== null) return;
      const input = { ...toRunFields(run), reason: "other", status };
      const { warning } = await call("SessionEnd", "other", input);
      // The result is already recorded, so it takes no more warnings.
      if (warning !== undefined) throw new Error(warning);
    },
  };
}

function aroundCalls(call: Call): Hooks {
  return {
    beforeTool: async (at, context) => await call("PreToolUse", at.tool, describeCall(at), context),
    async afterTool(at, context) {
      const { text, isError } = at;
      const input = { ...describeCall(at), tool_response: { text, is_error: isError } };
      return await call("PostToolUse", at.tool, input, context);
    },
    async beforeQuestion(at, context) {
      const input = describeCall({ ...at, input: at.input as JsonValue });
      return await call("PermissionRequest", at.tool, input, context);
    },
  };
}

/** The fields of a run in every event. */
function toRunFields({ rootId, runId, parentId, agent, workspace }: HookedRun): JsonObject {
  const ofSubAgent = parentId === null ? {} : { agent_id: runId, agent_type: agent };
  return { session_id: rootId, run_id: runId, cwd: workspace, ...ofSubAgent };
}

function describeCall(at: HookedCall): JsonObject {
  const { tool, input, stepKey } = at;
  return { ...toRunFields(at), tool_name: tool, tool_input: input, tool_use_id: stepKey };
}

async function callCommands(
  commands: readonly HookCommand[],
  context: HookCommandContext,
  {
    event,
    input,
    signal,
  }: { event: HookEvent; input: JsonObject; signal: AbortSignal | undefined },
): Promise<Decisions> {
  let decided: Decisions = {};
  for (const command of commands) {
    const changed = decided.input === undefined ? {} : { tool_input: decided.input };
    const given = { hook_event_name: event, ...input, ...changed };
    const end = await runHookCommand(command, { input: given, signal }, context);
    signal?.throwIfAborted();
    const answer = readHookAnswer(event, showHookCommand(command), end);
    decided = joinDecisions(decided, answer);
    if (answer.stop !== undefined || answer.deny !== undefined) break;
  }
  return decided;
}
