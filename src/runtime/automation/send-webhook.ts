import { errorMessage } from "../../error-message.ts";
import { signWebhook, type WebhookMessage } from "./sign-webhook.ts";

/** The longest wait for an answer, in milliseconds. */
const answerMs = 15_000;

/**
 * Sends a message once. Resolves with `null`, or with the reason why the server did not accept it. Rejects when `signal` aborts.
 */
export async function sendWebhook(
  message: WebhookMessage,
  { url, secret, signal }: { url: string; secret: string; signal: AbortSignal },
): Promise<string | null> {
  const late = AbortSignal.timeout(answerMs);
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "cadre",
        ...signWebhook(message, secret, Date.now()),
      },
      body: message.body,
      redirect: "manual",
      signal: AbortSignal.any([signal, late]),
    });
    await answer.body?.cancel();
    return answer.ok ? null : `the server answered ${answer.status}`;
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) return `the server did not answer within ${answerMs / 1000} seconds`;
    const { cause = error } = error as { cause?: unknown };
    return errorMessage(cause);
  }
}
