import { isRecord, type JsonObject } from "../../source/json.ts";
import { joinDecisions } from "../../engine/hook/consult-hooks.ts";
import type { Decisions } from "../../engine/hook/hooks.ts";
import { guardingEvents, type HookEvent } from "../../run/hook/hook-commands.ts";
import type { HookEnd } from "./run-hook-command.ts";

/** The maximum length of a hook's text for the model, in characters. */
const maxTextLength = 10_000;

/** Events whose plain output is context for the model. */
const outputIsContext: ReadonlySet<HookEvent> = new Set<HookEvent>([
  "SessionStart",
  "UserPromptSubmit",
]);

/** The effect of exit code 2, or of `"decision": "block"`, at each event. Other events ignore it. */
const blocking: Readonly<Partial<Record<HookEvent, (reason: string) => Decisions>>> = {
  UserPromptSubmit: (stop) => ({ stop }),
  PreToolUse: (deny) => ({ deny }),
  PostToolUse: (context) => ({ context }),
  PermissionRequest: (deny) => ({ deny }),
  PreCompact: () => ({ keep: true }),
  Stop: (reason) => ({ continue: reason }),
  SubagentStop: (reason) => ({ continue: reason }),
};

/** Translates the exit code and the output of a command into decisions, by the protocol of Claude Code's hooks. */
export function readHookAnswer(event: HookEvent, command: string, end: HookEnd): Decisions {
  const decided = Object.entries(translate(event, command, end));
  // Cut once and last, so that the number of omitted characters is right.
  const texts = decided.map(([key, value]) => [
    key,
    typeof value === "string" ? cut(value) : value,
  ]);
  return Object.fromEntries(texts) as Decisions;
}

function translate(event: HookEvent, command: string, end: HookEnd): Decisions {
  const { exitCode, stdout, stderr, problem } = end;
  const name = `The ${event} hook \`${command}\``;
  if (problem !== undefined) return failed(event, `${name} ${problem}`);
  if (exitCode === 2) {
    return block(event, stderr || "no reason was given") ?? warn(`${name} cannot block: ${stderr}`);
  }
  if (exitCode !== 0) {
    return warn(`${name} failed with exit code ${exitCode}${stderr === "" ? "" : `: ${stderr}`}`);
  }
  const answer = readJson(stdout);
  if (answer !== undefined) return readAnswer(event, name, answer);
  const text = stdout.trim();
  if (text.includes("{") && !outputIsContext.has(event)) {
    return warn(`${name} printed text that is not one JSON object, which has no effect: ${text}`);
  }
  return outputIsContext.has(event) && text !== "" ? { context: text } : {};
}

/** A guard that fails to decide must not let the action pass. */
/** A guard that failed refuses the call. Only the warning tells the user that the agent works without such calls. */
function failed(event: HookEvent, message: string): Decisions {
  return { ...warn(message), ...(guardingEvents.has(event) && { deny: message }) };
}

function readAnswer(event: HookEvent, name: string, answer: JsonObject): Decisions {
  const { continue: goesOn, stopReason, decision, reason, systemMessage } = answer;
  const message = textOf(systemMessage);
  if (goesOn === false && event !== "SessionEnd") {
    const why = textOf(stopReason) ?? "the hook ended the run without a reason";
    return { stop: why, ...(message !== undefined && warn(`${name}: ${message}`)) };
  }
  const own = isRecord(answer["hookSpecificOutput"]) ? answer["hookSpecificOutput"] : {};
  const unknown = findUnknown(event, answer, own);
  const blocked = decision === "block" ? block(event, textOf(reason) ?? "no reason was given") : {};
  return [
    message === undefined ? {} : warn(`${name}: ${message}`),
    unknown === undefined ? {} : warn(`${name} returned ${unknown}, which has no effect`),
    readContext(event, name, own),
    event === "PreToolUse" ? readPermission(own) : {},
    event === "PermissionRequest" ? readRequest(own) : {},
    blocked ?? warn(`${name} cannot block`),
  ].reduce(joinDecisions);
}

/** Finds invalid values that look like a decision: a misspelt guard must not be ignored silently. */
function findUnknown(event: HookEvent, answer: JsonObject, own: JsonObject): string | undefined {
  const { decision } = answer;
  const { permissionDecision } = own;
  const misplaced = ["permissionDecision", "updatedInput", "additionalContext"].find((key) =>
    Object.hasOwn(answer, key),
  );
  if (misplaced !== undefined) return `\`${misplaced}\` outside of hookSpecificOutput`;
  if (decision !== undefined && decision !== "block" && decision !== "approve") {
    return `the decision ${JSON.stringify(decision)}`;
  }
  const known: unknown[] = [undefined, "allow", "deny", "ask"];
  if (event !== "PreToolUse" || known.includes(permissionDecision)) return undefined;
  return `the permissionDecision ${JSON.stringify(permissionDecision)}`;
}

function readContext(event: HookEvent, name: string, own: JsonObject): Decisions {
  const context = textOf(own["additionalContext"]);
  if (context === undefined) return {};
  const hasContext = ["SessionStart", "UserPromptSubmit", "SubagentStart", "PostToolUse"];
  if (hasContext.includes(event)) return { context };
  return warn(`${name} returned additionalContext, which has no effect at ${event}`);
}

/** `allow` grants nothing, because the permissions of the run decide. */
function readPermission({
  permissionDecision,
  permissionDecisionReason,
  updatedInput,
}: JsonObject): Decisions {
  const reason = textOf(permissionDecisionReason) ?? "no reason was given";
  if (permissionDecision === "deny") return { deny: reason };
  return {
    ...(permissionDecision === "ask" && { ask: reason }),
    ...(isRecord(updatedInput) && { input: updatedInput }),
  };
}

function readRequest({ decision }: JsonObject): Decisions {
  if (!isRecord(decision) || decision["behavior"] !== "deny") return {};
  return { deny: textOf(decision["message"]) ?? "no reason was given" };
}

function block(event: HookEvent, reason: string): Decisions | undefined {
  return blocking[event]?.(reason);
}

function warn(warning: string): Decisions {
  return { warning };
}

function readJson(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Cuts a long text, and says so in it. */
function cut(text: string): string {
  if (text.length <= maxTextLength) return text;
  return `${text.slice(0, maxTextLength)}\n[${text.length - maxTextLength} more characters of the hook's output were left out]`;
}
