import type { JsonValue } from "../../source/json.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import type { ApprovalRequest } from "../../run/permission.ts";
import { joinTexts } from "../hook/consult-hooks.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { askHooks } from "../run-context/ask-hooks.ts";
import type { RunContext } from "../run-context/run-context.ts";

/** The decision of hooks about a call, for the permission check. */
export interface CallDecision {
  /** Why the call is refused. */
  denied?: string;
  /** Why the user is asked even where the policies allow the call. */
  asked?: string;
  /** A warning for the run's result. */
  warning?: string;
}

/** A call as passed to hooks. */
interface Call {
  key: string;
  tool: string;
  title: string;
  input: JsonValue;
}

/** Asks the hooks about a call before its check. `input` replaces its arguments. */
export async function hookBeforeTool(
  run: RunContext,
  { key, tool, title, input }: Call,
): Promise<CallDecision & { input?: JsonValue }> {
  const event = { stepKey: key, tool, title, input };
  const isPast = run.steps.isRecorded(key);
  const decided = await askHooks(run, { point: "beforeTool", key, event, isPast });
  const { deny: denied, ask: asked, input: changed, warning } = decided;
  return omitUndefined({ denied, asked, input: changed, warning });
}

/** Lets hooks refuse a call on behalf of the user, who would otherwise be asked. Returns the reason. */
export async function hookBeforeQuestion(
  run: RunContext,
  request: ApprovalRequest,
): Promise<string | undefined> {
  const point = "beforeQuestion";
  return (await askHooks(run, { point, key: request.stepKey, event: request, isPast: false })).deny;
}

/** Asks the hooks about the outcome of a call before it is recorded. */
export async function hookAfterTool(
  run: RunContext,
  {
    key,
    tool,
    call,
    input,
  }: { key: string; tool: { name: string }; call: { title: string }; input: JsonValue },
  outcome: ToolOutcome,
): Promise<ToolOutcome> {
  const { text, isError = false } = outcome;
  const event = { stepKey: key, tool: tool.name, title: call.title, input, text, isError };
  const decided = await askHooks(run, { point: "afterTool", key, event, isPast: false });
  if (decided.text === undefined && decided.context === undefined) return outcome;
  return { ...outcome, text: joinTexts(decided.text ?? text, decided.context) ?? text };
}
