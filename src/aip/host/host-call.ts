import type { JsonValue } from "../../source/json.ts";
import type { AipAct, AipPort } from "../aip-port.ts";
import type { AipPlace } from "../aip-place.ts";
import type { LuaValue } from "../lua-value.ts";

/** What a call of the host works with. */
export interface HostContext {
  port: AipPort;
  place: AipPlace;
  /** Ends with the input it is for, or with the run. */
  signal: AbortSignal;
  /** The input the script is about, 0-based; `undefined` in Before All and After All. */
  input: number | undefined;
  /** The key of this call. */
  key: string;
}

/** What paths are found and looked into with. */
export interface PathContext extends Pick<HostContext, "place" | "signal"> {
  port: Pick<AipPort, "confine" | "readRoots">;
}

/** A function of the host that scripts reach through the library. */
export interface HostCall {
  /** Whether its answer is recorded. What looks or works outside of Lua is, so that a script does the same again. */
  isRecorded: boolean;
  /** What needs permission; called before the work. */
  act?: (args: readonly LuaValue[], context: HostContext) => Promise<AipAct>;
  run: (args: readonly LuaValue[], context: HostContext) => Promise<JsonValue>;
}

/** A string among arguments that come from our own library. */
export function text(args: readonly LuaValue[], index: number): string {
  const value = args[index];
  if (typeof value !== "string") throw new Error(`expected a string, got ${typeof value}`);
  return value;
}

/** A string, or `undefined`. */
export function maybeText(args: readonly LuaValue[], index: number): string | undefined {
  const value = args[index];
  return typeof value === "string" ? value : undefined;
}
