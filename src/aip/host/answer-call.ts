import type { JsonObject, JsonValue } from "../../source/json.ts";
import type { LuaValue } from "../lua-value.ts";
import { fileCalls } from "./file-calls.ts";
import type { HostCall, HostContext } from "./host-call.ts";
import { listCalls } from "./list-files.ts";
import { outsideCalls } from "./outside-calls.ts";
import { requireCalls } from "./require-module.ts";
import { zipCalls } from "./zip-calls.ts";
import { ownValue } from "../../source/own-value.ts";

const calls: Readonly<Record<string, HostCall>> = {
  ...fileCalls,
  ...listCalls,
  ...outsideCalls,
  ...requireCalls,
  ...zipCalls,
};

/**
 * Answers a call of a script. What it came to, a failure too, is recorded where the script must see the same when it is
 * executed again.
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
  const step = { key, title: titleOf(name, args), ...(act === undefined ? {} : { act }) };
  const outcome = await port.step(step, () => attempt(call, args, context));
  if (typeof outcome["error"] === "string") throw new Error(outcome["error"]);
  return outcome["value"];
}

async function attempt(
  call: HostCall,
  args: readonly LuaValue[],
  context: HostContext,
): Promise<JsonObject> {
  try {
    const value: JsonValue = await call.run(args, context);
    return { value };
  } catch (error) {
    // The end of the run is no outcome of the call.
    context.signal.throwIfAborted();
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function titleOf(name: string, args: readonly LuaValue[]): string {
  const [first] = args;
  const subject = typeof first === "string" ? ` ${first}` : "";
  return `aip.${name}${subject}`.slice(0, 200);
}
