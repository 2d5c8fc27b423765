import type { RunEvent } from "../../run/event.ts";
import type {
  ApprovalAnswer,
  ApprovalRequest,
  LevelDecision,
  PermissionPolicy,
} from "../../run/permission.ts";
import type { RunSpec } from "../../run/run.ts";
import type { JsonValue } from "../../source/json.ts";
import { isMemoryCall, toMemoryPolicies } from "../../tool/memory/memory-tools.ts";
import { coversCall, decide, describeMode } from "../../tool/permission/permission.ts";
import type { PermissionCall } from "../../tool/permission/permission-call.ts";
import { proposeRule } from "../../tool/permission/propose-rule.ts";
import type { Tool, ToolCallDescription } from "../../tool/tool.ts";
import { deniedWithoutUser } from "../run-context/approvals.ts";
import type { ApprovalSeal } from "../run-context/approval-seal.ts";
import { type CallDecision, hookBeforeQuestion, hookBeforeTool } from "./call-hooks.ts";
import type { NotePermission } from "./tool-step.ts";
import type { RunContext } from "../run-context/run-context.ts";

/** A tool call to check. */
export interface PermissionCheck extends CallDecision {
  key: string;
  tool: Pick<Tool, "name" | "access" | "isShell">;
  call: ToolCallDescription;
  input: unknown;
  /** Called at most once, and not for a call that every level allows by its mode. */
  note?: NotePermission;
  /** Called when the call needs an answer and no user can give it, with the reason of the denial. */
  onNoUser?: (reason: string) => void;
}

/**
 * Checks whether a call is allowed. Returns why it is refused, or `undefined`. Asks the user if the policies require it.
 * Meanwhile the run has no slot and its clock stops.
 */
export async function refuseCall(
  run: RunContext,
  { key, tool, call, input, denied, asked, note, onNoUser }: PermissionCheck,
): Promise<string | undefined> {
  const { spec, granted } = run;
  if (denied !== undefined) return denied;
  const { subject, paths, title, raisesRights } = call;
  const isOwnNote = isMemoryCall(tool.name, call, run.memory);
  const policies = isOwnNote ? toMemoryPolicies(spec.policies) : spec.policies;
  const { name, access, isShell } = tool;
  const { workspace } = spec;
  const asPermission = { tool: name, access, isShell, subject, paths, raisesRights, workspace };
  const { decision, reason, levels } = decide(policies, asPermission);
  if (decision === "deny") {
    note?.({ levels });
    return reason;
  }
  const grant = decision === "allow" ? undefined : findGrant(granted, asPermission);
  const isAllowed = decision === "allow" || grant !== undefined;
  if (isAllowed && asked === undefined) {
    if (grant !== undefined) note?.({ levels, grant });
    else if (!isByModes(levels, spec.policies)) note?.({ levels });
    return undefined;
  }
  const { id: runId, chain } = spec;
  const request: ApprovalRequest = {
    runId,
    stepKey: key,
    tool: name,
    title,
    subject,
    input,
    ...(paths !== null && { paths }),
    chain,
    reason: isAllowed ? (asked ?? reason) : reason,
    levels,
    proposal: proposeRule(asPermission),
  };
  const refusal = await hookBeforeQuestion(run, request);
  if (refusal !== undefined) return refusal;
  const answer = await askUser(run, request, asPermission);
  if (answer.decision === "deny") {
    if (answer === deniedWithoutUser) onNoUser?.(deniedWithoutUser.reason);
    return answer.reason === undefined ? "the user said no" : `not approved: ${answer.reason}`;
  }
  const permanent = grantOfAnswer(answer, request);
  if (permanent !== undefined) granted.add(permanent);
  return undefined;
}

/** Reports whether each level allows a call by its mode, according to the run's spec. */
function isByModes(
  levels: readonly LevelDecision[],
  policies: readonly PermissionPolicy[],
): boolean {
  return levels.every(({ decision, reason }, index) => {
    const policy = policies[index];
    return decision === "allow" && policy !== undefined && reason === describeMode(policy);
  });
}

/** Asks the user. Repeats the question when the answer is a rule that does not cover the call. */
async function askUser(
  run: RunContext,
  request: ApprovalRequest,
  call: PermissionCall,
): Promise<ApprovalAnswer> {
  const question = run.approvals.ask(request, (answer) => {
    if (answer.decision === "deny" || answer.scope !== "rule") return undefined;
    if (coversCall(answer.rule, call)) return undefined;
    return `the rule ${answer.rule} does not cover this call`;
  });
  return await run.watchdog.pauseWhile(run.slot.yieldWhile(question));
}

/** Returns the user's permanent answer in the family that allows the call: `always`, or the rule. */
function findGrant(granted: ReadonlySet<string>, call: PermissionCall): string | undefined {
  if (granted.has(grantOf(call.tool, call.subject))) return "always";
  for (const grant of granted) {
    if (!grant.startsWith(ruleMark)) continue;
    const rule = grant.slice(ruleMark.length);
    if (coversCall(rule, call)) return rule;
  }
  return undefined;
}

/** The prefix of a grant for a rule. No tool name begins with a space. */
const ruleMark = " rule ";

/** Returns the grant of an answer, in the form of `RunContext.granted`; `undefined` for an answer that allows only this call. */
function grantOfAnswer(
  answer: ApprovalAnswer,
  { tool, subject }: Pick<ApprovalRequest, "tool" | "subject">,
): string | undefined {
  if (answer.decision === "deny" || answer.scope === "once") return undefined;
  return answer.scope === "rule" ? `${ruleMark}${answer.rule}` : grantOf(tool, subject);
}

/**
 * Checks a call that another program makes: hooks and permissions. Returns why it is refused, or `undefined`. Hooks cannot change
 * the arguments of such a call, so a change refuses the call.
 */
export async function refuseForeignCall(
  run: RunContext,
  check: PermissionCheck & { input: JsonValue },
): Promise<string | undefined> {
  const { key, tool, call, input: given } = check;
  const { title } = call;
  const { input, ...decided } = await hookBeforeTool(run, {
    key,
    tool: tool.name,
    title,
    input: given,
  });
  if (input !== undefined)
    return "a hook changed its arguments, which is not possible for this call";
  return await refuseCall(run, { ...check, ...decided });
}

/** Reads the permanent grants of this machine's user from a run's journal, in the form of `RunContext.granted`. */
export function grantsOf(
  { id: runId, workspace }: Pick<RunSpec, "id" | "workspace">,
  history: readonly RunEvent[],
  { isSealed }: ApprovalSeal,
): string[] {
  const asked = new Map<string, ApprovalRequest>();
  const grants = new Map<string, string>();
  for (const event of history) {
    if (event.type === "approval-requested") {
      asked.set(event.request.stepKey, event.request);
      // The previous answer did not fit.
      grants.delete(event.request.stepKey);
    }
    if (event.type !== "approval-answered") continue;
    const { answer, seal } = event;
    const request = asked.get(event.stepKey);
    const grant = request === undefined ? undefined : grantOfAnswer(answer, request);
    if (grant === undefined) continue;
    const question = { ...(request as ApprovalRequest), runId, workspace };
    if (isSealed(question, answer, seal)) grants.set(event.stepKey, grant);
  }
  return [...grants.values()];
}

/** Returns the grant of a permanent answer, in the form of `RunContext.granted`. */
export function grantOf(tool: string, subject: string): string {
  return `${tool} ${subject}`;
}
