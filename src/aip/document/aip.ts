import type { Diagnostic } from "../../source/diagnostic.ts";
import type { AipOptions } from "./aip-options.ts";

/** The sections of an `.aip` file that contain Lua. */
export type AipStage = "before-all" | "data" | "output" | "after-all";

/** The headings of the stages, for messages. */
export const stageTitles: Readonly<Record<AipStage, string>> = {
  "before-all": "# Before All",
  data: "# Data",
  output: "# Output",
  "after-all": "# After All",
};

/** The Lua code of one section. */
export interface AipScript {
  code: string;
  /** The first line of `code` in the file, 1-based. */
  line: number;
}

/** A Handlebars template that becomes one message. */
export interface AipPrompt {
  role: "system" | "user" | "assistant";
  template: string;
  /** The text in backticks in the heading, such as `cache = true`; itself a template. `null` without one. */
  marks: string | null;
  /** The line of the heading, 1-based. */
  line: number;
}

/** A parsed `.aip` file. */
export interface Aip {
  /** The absolute path of the file. */
  path: string;
  /** The first paragraph of `# Description`, for display. A model that runs the agent never sees it. */
  description?: string;
  options: AipOptions;
  scripts: Partial<Record<AipStage, AipScript>>;
  /** In the order of the file. */
  prompts: readonly AipPrompt[];
  diagnostics: readonly Diagnostic[];
}
