import { relative, sep } from "node:path";
import { foldersOf, builtInFormats } from "../../agent/find-format.ts";
import type { FormatTable } from "../../agent/format/agent-file-format.ts";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { isPromptFile } from "../../pipeline/prompt-file/is-prompt-file.ts";
import { type PromptFile, readPromptFile } from "../../pipeline/prompt-file/prompt-file.ts";
import { readTextFile } from "../../source/file/text-file.ts";

/** The maximum duration of a run, in seconds. The runs of a pipeline have their own timeouts. */
const pipelineSeconds = 86_400;
const maxDescriptionLength = 200;

/** Returns the prompt files among `files` (absolute). */
export async function findPromptFiles(
  files: readonly string[],
  formats: FormatTable = builtInFormats,
): Promise<string[]> {
  const found: string[] = [];
  for (const path of files) {
    // A folder of agents contains only agents, even if a broken one looks like a prompt.
    if (!/\.md$/i.test(path) || foldersOf(path, formats).length > 0) continue;
    const { text } = await readTextFile(path);
    if (text !== null && isPromptFile(path, text)) found.push(path);
  }
  return found;
}

/** Loads the pipeline of a prompt file as an agent, named by its path from `cwd`, which no agent name equals. */
export async function loadPromptAgent(path: string, cwd: string): Promise<AgentDefinition> {
  const { params, instruction, lines, diagnostics } = await readPromptFile(path);
  const model = params["model"];
  return {
    name: relative(cwd, path).split(sep).join("/"),
    description: describe({ instruction }),
    systemPrompt: "",
    timeoutSeconds: pipelineSeconds,
    ...(typeof model === "string" && model !== "" && { model }),
    prompt: { params, instruction },
    source: { format: "prompt", scope: "library", path },
    diagnostics,
    lines,
  };
}

function describe({ instruction }: Pick<PromptFile, "instruction">): string {
  const [line = ""] = instruction.split("\n");
  return `Runs a pipeline: ${line.slice(0, maxDescriptionLength).toWellFormed()}`;
}
