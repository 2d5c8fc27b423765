import type { AgentDefinition } from "../definition/agent.ts";
import type { AgentFile } from "../fields/common-fields.ts";
import type { CommonFormat, ReadFormat } from "./agent-file-format.ts";

/** An agent as read by a custom format. Cadre adds its source. */
export type CustomAgent = Pick<AgentDefinition, "name" | "description" | "systemPrompt"> &
  Partial<Omit<AgentDefinition, "source" | "origins" | "prompt" | "recipes">>;

/** A custom format of agent files, in addition to Cadre's formats. */
export interface CustomAgentFormat extends CommonFormat {
  /**
   * Reads the agent in a file; `null` for prose. `diagnostics` describe invalid text. An agent that Cadre cannot use, and an
   * exception, are reported as errors of the file.
   */
  parse(file: AgentFile): CustomAgent | null;
  /** Reports whether a Markdown file outside every format's folders has this format. Absent = none has. */
  recognizes?: NonNullable<ReadFormat["recognizes"]>;
}
