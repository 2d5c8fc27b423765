import type { AgentDefinition } from "../definition/agent.ts";
import type { AgentFile } from "../fields/common-fields.ts";
import type { CommonFormat, ReadFormat } from "./agent-file-format.ts";

/** An agent as a format of your own reads it. Cadre adds where it was found. */
export type CustomAgent = Pick<AgentDefinition, "name" | "description" | "systemPrompt"> &
  Partial<Omit<AgentDefinition, "source" | "origins" | "prompt" | "recipes">>;

/** A format of agent files of your own, beside those that Cadre reads. */
export interface CustomAgentFormat extends CommonFormat {
  /**
   * Reads the agent in a file; `null` for prose. `diagnostics` describe invalid text. An agent that Cadre cannot use, and an
   * exception, become errors of the file.
   */
  parse(file: AgentFile): CustomAgent | null;
  /** Reports whether a Markdown file outside of every format's folders is of this format. Absent = none is. */
  recognizes?: NonNullable<ReadFormat["recognizes"]>;
}
