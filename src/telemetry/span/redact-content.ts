import { createEnvironmentRedaction } from "../../source/redact.ts";

/** Converts content to the value of an attribute: JSON without secrets. `undefined` when content is not captured. */
export type WriteContent = ((content: unknown) => string) | undefined;

/** The values of `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` that request content in spans. */
const asks: ReadonlySet<string> = new Set(["true", "span_only", "span_and_event"]);

/** Creates the function that writes content, if the option or the variable requests it. */
export function createContentWriter(
  isAsked: boolean | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): WriteContent {
  const variable = environment["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] ?? "";
  if (!(isAsked ?? asks.has(variable.trim().toLowerCase()))) return undefined;
  const redact = createEnvironmentRedaction(environment);
  return (content) =>
    redact(typeof content === "string" ? content : (JSON.stringify(content) ?? ""));
}
