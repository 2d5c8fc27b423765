// Tools of a program: checks them, and calls them with the arguments of a model.

import type { Clock } from "../../clock.ts";
import { createDeadline } from "../../extension/elicitation/deadline.ts";
import { plainLine } from "../../extension/plain-text.ts";
import { messageOf } from "../../engine/run-failed.ts";
import { isRecord } from "../../source/json.ts";
import { orAbort } from "../../source/or-abort.ts";
import { sortedJson } from "../../source/sorted-json.ts";
import {
  describeInputProblems,
  hasProtoKey,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from "../../tool/tool.ts";
import { type CallServices, createCallContext, type OwnCall } from "./call-context.ts";
import { collectParts, isStream } from "./collect-parts.ts";
import type { CheckedInput } from "./read-input.ts";
import { readModelOutput, readOutcome } from "./read-outcome.ts";
import type { ReadTool } from "./read-tools.ts";

/** The services that own tools use. */
export interface OwnToolServices extends CallServices {
  clock: Clock;
}

/** How long a call may outlast its time limit before its run counts as stalled, in milliseconds. */
const endingMs = 10_000;

/** Creates a run's tool from a program's tool. Permission rules match its arguments as JSON. */
export function createOwnTool(tool: ReadTool, services: OwnToolServices): Tool {
  const { name, description, inputSchema, access, needsApproval, timeoutSeconds } = tool;
  return {
    name,
    description,
    inputSchema,
    access,
    hasEffect: access !== "none" && access !== "read",
    prepare(given) {
      const input = given ?? {};
      const checked = checkArguments(tool, input);
      if (!(checked instanceof Promise) && "problems" in checked) {
        return { problem: describeInputProblems(name, checked.problems) };
      }
      const subject = describeArguments(checked, input);
      return {
        title: plainLine(`${name} ${subject}`, 160),
        subject,
        paths: null,
        quietMs: timeoutSeconds * 1000 + endingMs,
        ...(needsApproval && { raisesRights: `${name} needs approval for each call` }),
        execute: (context) => callOwnTool(services, tool, { checked, input }, context),
      };
    },
  };
}

/** Describes the arguments that the tool gets. They may differ from the model's arguments, for example by a default. */
function describeArguments(checked: Verdict, input: unknown): string {
  if (checked instanceof Promise || "problems" in checked || !isRecord(checked.value)) {
    return sortedJson(input);
  }
  try {
    return sortedJson(checked.value);
  } catch {
    // A schema may convert to a value that is not JSON.
    return sortedJson(input);
  }
}

function checkArguments(tool: ReadTool, input: unknown): Verdict {
  if (!isRecord(input)) return { problems: ["arguments: expected an object"] };
  if (hasProtoKey(input)) return { problems: ['arguments: no key may be called "__proto__"'] };
  const checked = tool.check(input);
  // A call that is refused or was recorded does not wait for the check.
  if (checked instanceof Promise) checked.catch(() => undefined);
  return checked;
}

type Verdict = CheckedInput | Promise<CheckedInput>;

interface Arguments {
  checked: Verdict;
  /** The arguments as the model wrote them. */
  input: unknown;
}

/**
 * Calls the code of a tool. Every failure in it becomes an outcome. A call that ignores its signal is abandoned.
 *
 * @throws the reason of the context's signal when it aborts.
 */
async function callOwnTool(
  services: OwnToolServices,
  tool: ReadTool,
  given: Arguments,
  context: ToolContext,
): Promise<ToolOutcome> {
  const { name, timeoutSeconds } = tool;
  const deadline = createDeadline(services.clock, timeoutSeconds * 1000);
  const ended = new AbortController();
  const signal = AbortSignal.any([context.signal, deadline.signal, ended.signal]);
  try {
    const call = { tool: name, context, deadline, signal };
    return await orAbort(execute(services, tool, given, call), signal);
  } catch (error) {
    context.signal.throwIfAborted();
    const text = deadline.signal.aborted
      ? `${name} did not end within ${timeoutSeconds} s, its time limit. It was told to stop, but its effect is unknown: check before you repeat it.`
      : `${name} failed: ${describeThrown(error)}`;
    return { text, isError: true };
  } finally {
    deadline.stop();
    ended.abort(new Error("the call has ended"));
  }
}

/** Code may throw any value. */
function describeThrown(thrown: unknown): string {
  if (!isRecord(thrown) || thrown instanceof Error) return messageOf(thrown);
  try {
    return JSON.stringify(thrown);
  } catch {
    return messageOf(thrown);
  }
}

async function execute(
  services: OwnToolServices,
  tool: ReadTool,
  given: Arguments,
  call: OwnCall,
): Promise<ToolOutcome> {
  const checked = await given.checked;
  if ("problems" in checked) {
    return { text: describeInputProblems(tool.name, checked.problems), isError: true };
  }
  const functions = createCallContext(services, call);
  const returned: unknown = await tool.execute(checked.value, functions);
  const output = isStream(returned) ? await collectParts(returned, functions) : returned;
  if (tool.toModelOutput === undefined) return readOutcome(tool.name, output);
  const { stepKey: toolCallId } = functions;
  const shown: unknown = await tool.toModelOutput({ toolCallId, input: checked.value, output });
  return readModelOutput(tool.name, shown);
}
