// The host's side of the `aip` library: files, archives, commands, the web and other agents.

import type { JsonObject, JsonValue } from "../../source/json.ts";
import type { AipAct } from "../location/aip-port.ts";
import type { LuaValue } from "../lua/lua-value.ts";
import { fileCalls } from "./file-calls.ts";
import type { HostCall, HostContext } from "./host-call.ts";
import { listCalls } from "./list-files.ts";
import { outsideCalls } from "./outside-calls.ts";
import { withPathLock } from "./path-lock.ts";
import { requireCalls } from "./require-module.ts";
import { zipCalls } from "./zip-calls.ts";
import { ownValue } from "../../source/own-value.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { errorMessage } from "../../error-message.ts";

const calls: Readonly<Record<string, HostCall>> = {
  ...fileCalls,
  ...listCalls,
  ...outsideCalls,
  ...requireCalls,
  ...zipCalls,
};

/**
 * Answers a call of a script. The result, or a failure, is recorded when the script must see the same on a resume.
 *
 * @throws Error for the script to catch.
 */
export async function answerCall(
  name: string,
  args: readonly LuaValue[],
  context: HostContext,
): Promise<LuaValue> {
  const call = ownValue(calls, name);
  if (call === undefined) throw new Error(`the host has no ${name}`);
  const { port, key, signal } = context;
  signal.throwIfAborted();
  if (!call.isRecorded) return call.run(args, context);
  const act = await call.act?.(args, context);
  const step = { key, title: titleOf(name, args), ...omitUndefined({ act }) };
  const work = (): Promise<JsonObject> => attempt(call, args, context);
  const outcome = await port.step(step, () => withPathLock(changedBy(act), work));
  if (typeof outcome["error"] === "string") throw new Error(outcome["error"]);
  return outcome["value"];
}

function changedBy(act: AipAct | undefined): readonly string[] {
  const isFile = act?.kind === "write" || act?.kind === "delete";
  return isFile ? [act.subject, ...(act.others ?? [])] : [];
}

async function attempt(
  call: HostCall,
  args: readonly LuaValue[],
  context: HostContext,
): Promise<JsonObject> {
  context.signal.throwIfAborted();
  try {
    const value: JsonValue = await call.run(args, context);
    return { value };
  } catch (error) {
    // The end of the run is not a result of the call.
    context.signal.throwIfAborted();
    return { error: errorMessage(error) };
  }
}

function titleOf(name: string, args: readonly LuaValue[]): string {
  const [first] = args;
  const subject = typeof first === "string" ? ` ${first}` : "";
  return `aip.${name}${subject}`.slice(0, 200);
}
