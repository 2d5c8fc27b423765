import {
  type AgentContext,
  methods,
  type PermissionOption,
  type RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import { viewCall } from "./call-view.ts";
import { callId } from "./to-updates.ts";
import type {
  ApprovalAnswer,
  ApprovalRequest,
  Ask,
  AskParameter,
  ElicitAnswer,
  OnElicit,
} from "../host.ts";
import { omitUndefined } from "../omit-undefined.ts";

/** Where questions of a session go. */
export interface QuestionPlace {
  client: AgentContext;
  sessionId: string;
  cwd: string;
}

/** Returns a handler that asks the editor's user for approval. */
export function askEditor({ client, sessionId, cwd }: QuestionPlace): Ask {
  return async (request, signal) => {
    const { runId, stepKey, tool, input } = request;
    const view = viewCall(tool, input, cwd);
    const toolCall = {
      ...view,
      toolCallId: callId(runId, stepKey),
      status: "pending" as const,
      rawInput: input,
      content: [...view.content, { type: "content" as const, content: reasonOf(request) }],
    };
    const asked = client.request<RequestPermissionResponse>(
      methods.client.session.requestPermission,
      { sessionId, toolCall, options: optionsOf(request) },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    return toAnswer(request, await asked);
  };
}

function reasonOf({ chain, reason }: ApprovalRequest): { type: "text"; text: string } {
  return { type: "text", text: `${chain.join(" > ")} asks. Why you are asked: ${reason}` };
}

function optionsOf({ proposal }: ApprovalRequest): PermissionOption[] {
  const pattern: PermissionOption[] =
    proposal === undefined
      ? []
      : [{ optionId: "rule", name: `Allow ${proposal} in this session`, kind: "allow_always" }];
  return [
    { optionId: "once", name: "Allow once", kind: "allow_once" },
    { optionId: "always", name: "Always allow this call", kind: "allow_always" },
    ...pattern,
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ];
}

function toAnswer(
  { proposal }: ApprovalRequest,
  { outcome }: RequestPermissionResponse,
): ApprovalAnswer {
  if (outcome.outcome === "cancelled") {
    return { decision: "deny", reason: "the user cancelled the turn" };
  }
  if (outcome.optionId === "once") return { decision: "allow", scope: "once" };
  if (outcome.optionId === "always") return { decision: "allow", scope: "always" };
  if (outcome.optionId === "rule" && proposal !== undefined) {
    return { decision: "allow", scope: "rule", rule: proposal };
  }
  return { decision: "deny" };
}

/** Returns a handler that shows questions as forms; without forms they are declined. */
export function askForms(place: QuestionPlace, hasForms: () => boolean): OnElicit {
  return async ({ message, schema }, signal) => {
    if (!hasForms()) return { action: "decline" };
    return await showForm(place, { message, schema }, signal);
  };
}

/** Returns a handler that asks for a parameter of a recipe with a form; without forms it has no value. */
export function askParameters(place: QuestionPlace, hasForms: () => boolean): AskParameter {
  return async ({ key, description, options }, problem) => {
    if (!hasForms()) return undefined;
    const choice = options === undefined ? {} : { enum: options };
    const field = { type: "string", title: key, description, ...choice };
    const schema = { type: "object", properties: { [key]: field }, required: [key] };
    const message = problem ?? `The recipe asks for ${key}.`;
    const answer = await showForm(place, { message, schema });
    const value = answer.action === "accept" ? answer.content?.[key] : undefined;
    return value === undefined || value === null ? undefined : String(value);
  };
}

async function showForm(
  { client, sessionId }: QuestionPlace,
  { message, schema }: { message: string; schema: object },
  signal?: AbortSignal,
): Promise<ElicitAnswer> {
  const asked = client.request<{ action: string; content?: object | null }>(
    methods.client.elicitation.create,
    { sessionId, mode: "form", message, requestedSchema: schema },
    { ...omitUndefined({ cancellationSignal: signal }), stopWaitingOnCancel: true },
  );
  const { action, content } = await asked;
  if (action === "accept") return { action, content: { ...content } };
  return { action: action === "decline" ? "decline" : "cancel" };
}
