// Parts that the writers of several agent file formats share.

import type { JsonObject } from "../../source/json.ts";
import type { AgentDefinition } from "../definition/agent.ts";

/** A setting that a format cannot express. */
export interface Loss {
  /** The field of the definition. */
  field: string;
  /** The loss or the difference. */
  message: string;
  /** Whether the agent may do more in the other format. */
  isGain?: boolean;
}

/** The context for writing one field. */
export interface WriteContext {
  definition: AgentDefinition;
  /** Records that the field is not written unchanged. */
  lose(message: string): void;
}

/** Writes one field as keys of the file. */
export type WriteField<Value> = (value: Value, context: WriteContext) => JsonObject;

/** The writer of a format. A field without a writer is lost. */
export interface FormatWriter {
  /** The end of the file name, with its dot. */
  extension: string;
  fields: {
    [Field in keyof AgentDefinition]?: WriteField<Exclude<AgentDefinition[Field], undefined>>;
  };
  /** Reports whether the format supports a name. Absent = it supports every name. */
  takesName?(name: string): boolean;
  /** The maximum length of a description, in characters. Absent = no limit. */
  maxDescriptionCharacters?: number;
  /** Whether the program replaces `{{task}}` in the instructions. Default `false`. */
  fillsTask?: boolean;
  /** Renders keys and instructions as a file. Absent = YAML frontmatter with the instructions below it. */
  render?(keys: JsonObject, instructions: string): string;
}

/** Returns a writer that writes the value unchanged under `key`. */
export function asIs(key: string): (value: unknown) => JsonObject {
  return (value) => ({ [key]: value as JsonObject[string] });
}

/** Returns a writer that replaces Cadre's terms by those of `table`. Other terms are lost. */
export function byTable(key: string, table: Readonly<Record<string, string>>): WriteField<string> {
  return (value, { lose }) => {
    const theirs = Object.hasOwn(table, value) ? table[value] : undefined;
    if (theirs !== undefined) return { [key]: theirs };
    lose(`it has no equivalent of \`${value}\``);
    return {};
  };
}
