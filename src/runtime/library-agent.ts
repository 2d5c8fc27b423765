import type { AgentDefinition } from "../agent/definition/agent.ts";
import type { ModelObject } from "../model/model-object.ts";
import type { ProgramAgent } from "../agent/program/program.ts";

/** An agent defined in code by its prompt, with the fields of an agent file's frontmatter. */
export type PromptAgent = Pick<AgentDefinition, "name" | "description" | "systemPrompt"> &
  Partial<Omit<AgentDefinition, FileField | "model" | "fallbacks">> & {
    /** `provider:model`, an alias, or a model of the AI SDK's provider interface, version 3 or 4. */
    model?: string | ModelObject;
    /** The models that take over, in this order, when requests to the model fail permanently. At most 10. */
    fallbacks?: readonly (string | ModelObject)[];
  };

/** An agent defined in code: a prompt, or a program. */
export type LibraryAgent = ProgramAgent | PromptAgent;

/** The fields that only agents from files have. */
export type FileField =
  | "source"
  | "diagnostics"
  | "lines"
  | "origins"
  | "extra"
  | "prompt"
  | "recipes";
