// Questions to the user of an editor: permissions, forms, and parameters of recipes.

import { viewCall } from "../editor/call-view.ts";
import type { EditorQuestion } from "../editor/editor.ts";
import { callId } from "../view/call-id.ts";
import { askReason, askRule } from "./ask-details.ts";
import type { QuestionTarget } from "./question-target.ts";
import { type AllowRuleScope, ruleScopes } from "./rule-scopes.ts";
import { createSessionAnswers } from "./session-answers.ts";
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Ask,
  plainText,
  saveAllowRule,
} from "../../host.ts";

/** Returns a handler that asks the editor's user for approval, unless an earlier answer in the session covers the call. */
export function askPermission(target: QuestionTarget): Ask {
  const { editor, sessionId, waitFor } = target;
  const answers = createSessionAnswers(target.cwd);
  return async (request, signal) => {
    const known = answers.find(request);
    if (known !== undefined) return known;
    const question = toQuestion(request, target);
    const stop = waitFor(question.call.id);
    try {
      for (;;) {
        const chosen = await editor.choose(sessionId, question, signal);
        const answer = await toAnswer(chosen, { request, target, signal });
        if (answer === undefined) continue;
        answers.remember(request, answer);
        return answer;
      }
    } finally {
      stop();
    }
  };
}

function toQuestion(request: ApprovalRequest, { editor, cwd }: QuestionTarget): EditorQuestion {
  const { runId, stepKey, tool, input, chain, reason, proposal } = request;
  const hasForms = editor.abilities().elicitsForms;
  const rules: EditorQuestion["options"] = ruleScopes.flatMap(({ scope, where }) =>
    proposal === undefined
      ? []
      : [{ id: `rule-${scope}`, name: `Allow ${proposal} in ${where}`, kind: "allow_always" }],
  );
  const options: EditorQuestion["options"] = [
    { id: "once", name: "Allow once", kind: "allow_once" },
    { id: "always", name: "Always allow this call in this session", kind: "allow_always" },
    ...rules,
    { id: "pattern", name: "Allow another pattern …", kind: "allow_always" },
    { id: "no", name: "Reject", kind: "reject_once" },
    { id: "reason", name: "Reject with a reason …", kind: "reject_once" },
  ];
  return {
    call: viewCall({ id: callId(runId, stepKey), tool, input }, cwd),
    reason: plainText(`${chain.join(" > ")} asks. Why you are asked: ${reason}`),
    options: options.filter(({ id }) => hasForms || !withForm.has(id)),
  };
}

/** The options that show a form. */
const withForm: ReadonlySet<string> = new Set(["pattern", "reason"]);

interface AnswerContext {
  request: ApprovalRequest;
  target: QuestionTarget;
  signal: AbortSignal;
}

/** Returns the answer for the chosen option; `undefined` when the user closed its form. */
async function toAnswer(
  chosen: string | undefined,
  { request, target, signal }: AnswerContext,
): Promise<ApprovalAnswer | undefined> {
  if (chosen === undefined) return { decision: "deny", reason: "the user cancelled the turn" };
  if (chosen === "once" || chosen === "always") return { decision: "allow", scope: chosen };
  if (chosen === "reason") return await askReason(target, request, signal);
  if (chosen === "pattern") {
    const given = await askRule(target, request, signal);
    return given === undefined ? undefined : await allowRule(given, target);
  }
  const scope = ruleScopes.find((one) => `rule-${one.scope}` === chosen)?.scope;
  const { proposal: rule } = request;
  if (scope === undefined || rule === undefined) return { decision: "deny" };
  return await allowRule({ rule, scope }, target);
}

async function allowRule(
  { rule, scope }: { rule: string; scope: AllowRuleScope },
  { editor, sessionId, cwd, user }: QuestionTarget,
): Promise<ApprovalAnswer> {
  if (scope !== "session") {
    const project = { scope, cwd, ...user };
    const text = await saveAllowRule(rule, project).catch(String);
    editor.show(sessionId, { type: "notice", text });
  }
  return { decision: "allow", scope: "rule", rule };
}
