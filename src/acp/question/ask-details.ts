import { callId } from "../view/call-id.ts";
import type { QuestionTarget } from "./question-target.ts";
import { type AllowRuleScope, ruleScopes } from "./rule-scopes.ts";
import { type ApprovalAnswer, type ApprovalRequest, describeRuleProblem } from "../../host.ts";

/** Asks for the reason of a rejection, which the agent reads; `undefined` when the user closed the form. */
export async function askReason(
  { editor, sessionId }: QuestionTarget,
  { title, runId, stepKey }: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  const schema = {
    type: "object",
    properties: { reason: { type: "string", title: "Reason", description: "The agent hears it" } },
    required: ["reason"],
  };
  const form = { message: `Why not? ${title}`, schema, callId: callId(runId, stepKey) };
  const answer = await editor.fillForm(sessionId, form, signal);
  if (answer.action !== "accept") return undefined;
  const reason = String(answer.content["reason"] ?? "").trim();
  return reason === "" ? { decision: "deny" } : { decision: "deny", reason };
}

/** Asks for a rule that allows this call and similar ones, and for its scope; `undefined` when the user closed the form. */
export async function askRule(
  { editor, sessionId }: QuestionTarget,
  { title, runId, stepKey, proposal = "" }: ApprovalRequest,
  signal: AbortSignal,
): Promise<{ rule: string; scope: AllowRuleScope } | undefined> {
  let message = `Which calls may be made without a question? ${title}`;
  for (let rule = proposal; ;) {
    const form = { message, schema: ruleSchema(rule), callId: callId(runId, stepKey) };
    const answer = await editor.fillForm(sessionId, form, signal);
    if (answer.action !== "accept") return undefined;
    rule = String(answer.content["rule"] ?? "").trim();
    const scope = ruleScopes.find((one) => one.scope === answer.content["scope"])?.scope;
    const problem =
      rule === "" ? "Expected a rule, such as Bash(npm test*)." : describeRuleProblem(rule);
    if (problem === null) return { rule, scope: scope ?? "session" };
    message = problem;
  }
}

function ruleSchema(rule: string): object {
  const oneOf = ruleScopes.map(({ scope, where }) => ({ const: scope, title: `In ${where}` }));
  return {
    type: "object",
    properties: {
      rule: { type: "string", title: "Rule", default: rule },
      scope: { type: "string", title: "Where", oneOf, default: "session" },
    },
    required: ["rule"],
  };
}
