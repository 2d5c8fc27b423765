import { callId } from "../view/call-id.ts";
import type { QuestionTarget } from "./question-target.ts";
import type { AskParameter, OnElicit } from "../../host.ts";

/** Returns a handler that shows questions as forms. Declines them in an editor without forms. */
export function askForms({ editor, sessionId, waitFor }: QuestionTarget): OnElicit {
  return async ({ message, schema, callers }, signal) => {
    if (!editor.abilities().elicitsForms) return { action: "decline" };
    const [caller] = callers;
    const asking = caller && callId(caller.runId, caller.stepKey);
    const stop = asking === undefined ? undefined : waitFor(asking);
    try {
      return await editor.fillForm(sessionId, { message, schema, callId: asking }, signal);
    } finally {
      stop?.();
    }
  };
}

/** Returns a handler that asks for a recipe parameter with a form. Gives no value in an editor without forms. */
export function askParameters({ editor, sessionId }: QuestionTarget): AskParameter {
  return async ({ key, description, options }, problem) => {
    if (!editor.abilities().elicitsForms) return undefined;
    const choice = options === undefined ? {} : { enum: options };
    const field = { type: "string", title: key, description, ...choice };
    const schema = { type: "object", properties: { [key]: field }, required: [key] };
    const message = problem ?? `The recipe asks for ${key}.`;
    const answer = await editor.fillForm(sessionId, { message, schema });
    const value = answer.action === "accept" ? answer.content[key] : undefined;
    return value === undefined || value === null ? undefined : String(value);
  };
}
