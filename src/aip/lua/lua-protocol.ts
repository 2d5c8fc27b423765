import type { MessagePort } from "node:worker_threads";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import type { LuaValue } from "./lua-value.ts";

/** The data that a Lua worker starts with. */
export interface LuaWorkerData {
  /** The counter of answers, on which the worker sleeps while the host works. */
  answers: SharedArrayBuffer;
  /** The port for all messages of the worker, in order, and for the answers. */
  port: MessagePort;
  /** The memory limit of Lua, in bytes. */
  memoryBytes: number;
}

/** A script to execute. */
export interface ScriptJob {
  type: "script";
  /** The file name in messages. */
  name: string;
  code: string;
  /** The line of the file on which `code` begins. */
  line: number;
  globals: { [name: string]: LuaValue };
  /** Two integers that seed Lua's random numbers. */
  seed: [number, number];
}

/** Templates to render. */
export interface RenderJob {
  type: "render";
  templates: string[];
  data: JsonObject;
}

/** Code and templates to check without executing them. */
export interface CheckJob {
  type: "check";
  /** The file name in messages. */
  name: string;
  scripts: Pick<ScriptJob, "code" | "line">[];
  templates: string[];
}

/** A job for a worker. */
export type LuaJob = ScriptJob | RenderJob | CheckJob;

/** The result of a job. */
export type LuaOutcome =
  | { type: "value"; value: LuaValue }
  | { type: "texts"; texts: string[] }
  /** The problem of each script and each template, in the order of the job; `null` without one. */
  | { type: "problems"; scripts: (string | null)[]; templates: (string | null)[] }
  /** `index` is the template that failed. */
  | { type: "failure"; message: string; index?: number };

/** A call from Lua that only the host can answer. */
export interface LuaCall {
  type: "call";
  name: string;
  args: LuaValue[];
}

/** A message from a worker: the start of the job, from which its time counts; a call; or the result. */
export type LuaMessage = { type: "begin" } | LuaCall | LuaOutcome;

/** The answer to a {@link LuaCall}. */
export type LuaAnswer = { ok: true; value: JsonValue } | { ok: false; message: string };
