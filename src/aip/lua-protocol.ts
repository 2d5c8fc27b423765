import type { MessagePort } from "node:worker_threads";
import type { JsonObject, JsonValue } from "../source/json.ts";
import type { LuaValue } from "./lua-value.ts";

/** What a Lua worker is started with. */
export interface LuaWorkerData {
  /** Counts the answers; the worker sleeps on it while the host works. */
  answers: SharedArrayBuffer;
  /** All that a worker says goes out here, in order; answers come in. */
  port: MessagePort;
  /** The most memory Lua may take, in bytes. */
  memoryBytes: number;
}

/** A script to execute. */
export interface ScriptJob {
  type: "script";
  /** The file, in messages. */
  name: string;
  code: string;
  /** The line of the file on which `code` begins. */
  line: number;
  globals: { [name: string]: LuaValue };
  /** Two integers that start Lua's random numbers. */
  seed: [number, number];
  /** What `os.getenv` finds. */
  environment: { [name: string]: string };
}

/** Templates to fill in. */
export interface RenderJob {
  type: "render";
  templates: string[];
  data: JsonObject;
}

/** Code and templates to read, but not to execute. */
export interface CheckJob {
  type: "check";
  /** The file, in messages. */
  name: string;
  scripts: Pick<ScriptJob, "code" | "line">[];
  templates: string[];
}

/** One piece of work for a worker. */
export type LuaJob = ScriptJob | RenderJob | CheckJob;

/** What a worker says when it is done. */
export type LuaOutcome =
  | { type: "value"; value: LuaValue }
  | { type: "texts"; texts: string[] }
  /** What is wrong with each script and each template, in the order of the job; `null` = nothing. */
  | { type: "problems"; scripts: (string | null)[]; templates: (string | null)[] }
  /** `index` is the template that failed. */
  | { type: "failure"; message: string; index?: number };

/** A call of Lua that only the host can answer. */
export interface LuaCall {
  type: "call";
  name: string;
  args: LuaValue[];
}

/** What a worker says: that it is up and begins, from when on the job's time counts; a call; or that it is done. */
export type LuaMessage = { type: "begin" } | LuaCall | LuaOutcome;

/** The answer to a {@link LuaCall}. */
export type LuaAnswer = { ok: true; value: JsonValue } | { ok: false; message: string };
