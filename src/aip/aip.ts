import type { Diagnostic } from "../source/diagnostic.ts";
import type { AipOptions } from "./aip-options.ts";

/** The sections of an `.aip` file that hold Lua. */
export type AipStage = "before-all" | "data" | "output" | "after-all";

/** How a stage is written in a file, for messages. */
export const stageTitles: Readonly<Record<AipStage, string>> = {
  "before-all": "# Before All",
  data: "# Data",
  output: "# Output",
  "after-all": "# After All",
};

/** The Lua of one section. */
export interface AipScript {
  code: string;
  /** The line of the file on which `code` begins, 1-based. */
  line: number;
}

/** A Handlebars template that becomes one message. */
export interface AipPrompt {
  role: "system" | "user" | "assistant";
  template: string;
  /** What stands in backticks in the heading, such as `cache = true`; itself a template. `null` = nothing. */
  marks: string | null;
  /** The line of the heading, 1-based. */
  line: number;
}

/** An `.aip` file as it was read. */
export interface Aip {
  /** The file, absolute. */
  path: string;
  /** The first paragraph of `# Description`: what people are told, never a model that runs it. */
  description?: string;
  options: AipOptions;
  scripts: Partial<Record<AipStage, AipScript>>;
  /** In the order of the file. */
  prompts: readonly AipPrompt[];
  diagnostics: readonly Diagnostic[];
}
