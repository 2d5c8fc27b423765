import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import { type AipStage, stageTitles } from "./aip.ts";
import { type AipOptions, readAipOptions } from "./aip-options.ts";
import type { LuaValue } from "../lua/lua-value.ts";

/** The result of a stage: a value, or a response of `aip.flow`. */
export type Flow =
  | { kind: "value"; value: JsonValue }
  | { kind: "skip"; reason: string }
  | { kind: "redo" }
  | { kind: "response"; fields: JsonObject; options: AipOptions };

const allowed: Readonly<Record<AipStage, readonly string[]>> = {
  "before-all": ["Skip", "Redo", "BeforeAllResponse"],
  data: ["Skip", "DataResponse"],
  output: ["Skip"],
  "after-all": ["Redo"],
};
const fields: Readonly<Record<string, readonly string[]>> = {
  BeforeAllResponse: ["inputs", "before_all", "options"],
  DataResponse: ["input", "data", "attachments", "options"],
};

/**
 * Reads the result of a stage.
 *
 * @throws Error for a response that belongs to another stage, or has an invalid shape.
 */
export function readFlow(value: LuaValue, stage: AipStage): Flow {
  const plain = value ?? null;
  const answer = isRecord(plain) ? plain["_aipack_"] : undefined;
  if (!isRecord(answer) || typeof answer["kind"] !== "string")
    return { kind: "value", value: plain };
  const { kind } = answer;
  if (!allowed[stage].includes(kind)) throw wrongStage(kind, stage);
  if (kind === "Redo") return { kind: "redo" };
  const { data = {} } = answer;
  if (kind === "Skip") {
    const reason = isRecord(data) ? data["reason"] : undefined;
    return { kind: "skip", reason: typeof reason === "string" ? reason : "" };
  }
  // Lua's empty table arrives as an empty list.
  const isEmpty = data === null || (Array.isArray(data) && data.length === 0);
  return readResponse(kind, isEmpty ? {} : data);
}

function wrongStage(kind: string, stage: AipStage): Error {
  if (kind === "Redo")
    return new Error(
      `aip.flow.redo_run() can be returned only from # Before All or # After All stages. Returned from ${stageTitles[stage]} stage.`,
    );
  return new Error(`${kind} of aip.flow cannot be returned from ${stageTitles[stage]}`);
}

function readResponse(kind: string, data: JsonValue): Flow {
  const known = fields[kind] ?? [];
  const name = kind === "DataResponse" ? "data_response" : "before_all_response";
  if (!isRecord(data)) {
    const got = Array.isArray(data) ? "a list" : `a ${typeof data}`;
    throw new Error(`aip.flow.${name} expects a table with ${known.join(", ")}, got ${got}`);
  }
  const unknown = Object.keys(data).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new Error(`aip.flow.${name} expects only ${known.join(", ")}, got ${unknown}`);
  const { inputs } = data;
  if (inputs !== undefined && inputs !== null && !Array.isArray(inputs))
    throw new Error(`aip.flow.${name}: expected inputs to be a list`);
  const { options, problems } = readAipOptions(data["options"]);
  const [problem] = problems;
  if (problem !== undefined)
    throw new Error(`aip.flow.${name}: the option ${problem.key} is invalid: ${problem.message}`);
  return { kind: "response", fields: data, options };
}
