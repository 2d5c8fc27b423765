import type { RunEvent } from "../run/event.ts";
import { decide } from "../tool/permission.ts";
import type { Tool, ToolCallDescription } from "../tool/tool.ts";
import type { Session } from "./session.ts";

/** A call that wants to go on. */
export interface PermitRequest {
  key: string;
  tool: Pick<Tool, "name" | "access">;
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

/** What the user allowed for good according to a journal, in the form `Session.granted` has. */
export function grantsOf(history: readonly RunEvent[]): string[] {
  const asked = new Map<string, string>();
  const grants: string[] = [];
  for (const event of history) {
    if (event.type === "approval-requested") {
      asked.set(event.request.stepKey, grantOf(event.request.tool, event.request.subject));
    }
    if (event.type !== "approval-answered" || event.answer.decision === "deny") continue;
    const grant = asked.get(event.stepKey);
    if (event.answer.scope === "always" && grant !== undefined) grants.push(grant);
  }
  return grants;
}

/** What an answer for good allows, in the form `Session.granted` has. */
export function grantOf(tool: string, subject: string): string {
  return `${tool} ${subject}`;
}
