import type { JsonValue } from "../../source/json.ts";
import type { AipAct, AipPort } from "../location/aip-port.ts";
import type { AipLocation } from "../location/aip-location.ts";
import type { LuaValue } from "../lua/lua-value.ts";

/** The context of a host call. */
export interface HostContext {
  port: AipPort;
  location: AipLocation;
  /** Aborts with the input of the call, or with the run. */
  signal: AbortSignal;
  /** The index of the script's input, 0-based; `undefined` in Before All and After All. */
  input: number | undefined;
  /** The key of this call. */
  key: string;
}

/** The context that resolves and confines paths. */
export interface PathContext extends Pick<HostContext, "location" | "signal"> {
  port: Pick<AipPort, "confine">;
}

/** A host function that scripts call through the library. */
export interface HostCall {
  /** Whether its result is recorded. Calls that read or change the outside world are, so that a resumed script does the same. */
  isRecorded: boolean;
  /** Describes the action that needs permission; called before `run`. */
  act?: (args: readonly LuaValue[], context: HostContext) => Promise<AipAct>;
  run: (args: readonly LuaValue[], context: HostContext) => Promise<JsonValue>;
}

/** Returns an argument from the library that must be a string. */
export function stringArgument(args: readonly LuaValue[], index: number): string {
  const value = args[index];
  if (typeof value !== "string") throw new Error(`expected a string, got ${typeof value}`);
  return value;
}

/** Returns an optional string argument. */
export function maybeText(args: readonly LuaValue[], index: number): string | undefined {
  const value = args[index];
  return typeof value === "string" ? value : undefined;
}
