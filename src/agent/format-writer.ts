import type { JsonObject } from "../source/json.ts";
import type { AgentDefinition } from "./agent.ts";

/** Something a definition says that a format has no way to say. */
export interface Loss {
  /** The field of the definition. */
  field: string;
  /** What is lost, or written differently. */
  message: string;
  /** It may do more in the other format than before. */
  isGain?: boolean;
}

/** What a writer of a field may use. */
export interface WriteContext {
  definition: AgentDefinition;
  /** Notes that the field is not written as it is. */
  lose(message: string): void;
}

/** Writes one field as keys of the file. */
export type WriteField<Value> = (value: Value, context: WriteContext) => JsonObject;

/** How a format is written: a field without a writer is lost. */
export interface FormatWriter {
  /** What comes behind the name of the file, with its dot. */
  extension: string;
  fields: {
    [Field in keyof AgentDefinition]?: WriteField<Exclude<AgentDefinition[Field], undefined>>;
  };
  /** What the program does where the file says nothing, where that is not what Cadre does. */
  defaults?: Partial<AgentDefinition>;
  /** Puts keys and instructions into a file; absent = YAML frontmatter and the instructions below it. */
  render?(keys: JsonObject, instructions: string): string;
}

/** A writer that writes the value as it is under `key`. */
export function asIs(key: string): (value: unknown) => JsonObject {
  return (value) => ({ [key]: value as JsonObject[string] });
}

/** A writer that writes the names of a table instead of Cadre's; a value that is not in it is lost. */
export function byTable(key: string, table: Readonly<Record<string, string>>): WriteField<string> {
  return (value, { lose }) => {
    const theirs = Object.hasOwn(table, value) ? table[value] : undefined;
    if (theirs !== undefined) return { [key]: theirs };
    lose(`it has nothing like \`${value}\``);
    return {};
  };
}
