import type { RunEvent } from "../run/event.ts";
import type { ApprovalRequest } from "../run/permission.ts";
import type { RunSpec } from "../run/run.ts";
import { decide } from "../tool/permission.ts";
import type { Tool, ToolCallDescription } from "../tool/tool.ts";
import type { ApprovalSeal } from "./approval/approval-seal.ts";
import type { Session } from "./session.ts";

/** A call that wants to go on. */
export interface PermitRequest {
  key: string;
  tool: Pick<Tool, "name" | "access" | "isShell">;
  call: ToolCallDescription;
  input: unknown;
  /** See `PermissionCall.raisesRights`. */
  raisesRights?: string;
}

/**
 * Why a call may not go on, or `undefined` when it may. Asks the user where the policies say so; the run gives its
 * slot back while it waits for the answer, and its time does not run.
 */
export async function refuseCall(
  session: Session,
  { key, tool, call, input, raisesRights }: PermitRequest,
): Promise<string | undefined> {
  const { spec, granted } = session;
  const { subject, paths, title } = call;
  const { decision, reason } = decide(spec.policies, {
    tool: tool.name,
    access: tool.access,
    isShell: tool.isShell,
    subject,
    paths,
    raisesRights,
    workspace: spec.workspace,
  });
  if (decision === "deny") return reason;
  if (decision === "allow" || granted.has(grantOf(tool.name, subject))) return undefined;
  const { id: runId, chain } = spec;
  const request = { runId, stepKey: key, tool: tool.name, title, subject, input, chain, reason };
  const question = session.approvals.ask(request);
  const answer = await session.watchdog.pauseWhile(session.slot.yieldWhile(question));
  if (answer.decision === "deny") {
    return answer.reason === undefined ? "the user said no" : `not approved: ${answer.reason}`;
  }
  if (answer.scope === "always") granted.add(grantOf(tool.name, subject));
  return undefined;
}

/** What the user of this machine allowed for good according to a run's journal, in the form `Session.granted` has. */
export function grantsOf(
  { id: runId, workspace }: Pick<RunSpec, "id" | "workspace">,
  history: readonly RunEvent[],
  { isSealed }: ApprovalSeal,
): string[] {
  const asked = new Map<string, ApprovalRequest>();
  const grants: string[] = [];
  for (const event of history) {
    if (event.type === "approval-requested") asked.set(event.request.stepKey, event.request);
    if (event.type !== "approval-answered") continue;
    const { answer, seal } = event;
    const request = asked.get(event.stepKey);
    if (answer.decision === "deny" || answer.scope !== "always" || request === undefined) continue;
    const question = { ...request, runId, workspace };
    if (isSealed(question, answer, seal)) grants.push(grantOf(request.tool, request.subject));
  }
  return grants;
}

/** What an answer for good allows, in the form `Session.granted` has. */
export function grantOf(tool: string, subject: string): string {
  return `${tool} ${subject}`;
}
