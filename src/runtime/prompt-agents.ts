import { relative, sep } from "node:path";
import { foldersOf } from "../agent/agent-folder.ts";
import type { AgentDefinition } from "../agent/agent.ts";
import { isPromptFile } from "../pipeline/is-prompt-file.ts";
import { type PromptFile, readPromptFile } from "../pipeline/prompt-file.ts";
import { readTextFile } from "../source/text-file.ts";

/** The longest run there may be, in seconds: the runs of a pipeline have timeouts of their own. */
const pipelineSeconds = 86_400;
const longestDescription = 200;

/** Those of `files` (absolute) that are prompt files. */
export async function findPromptFiles(files: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of files) {
    // A folder of agents holds agents, also where one is written so badly that it looks like a prompt.
    if (!/\.md$/i.test(path) || foldersOf(path).length > 0) continue;
    const { text } = await readTextFile(path);
    if (text !== null && isPromptFile(path, text)) found.push(path);
  }
  return found;
}

/** The pipeline of a prompt file as an agent, named by its path from `cwd`: no name of an agent is like that. */
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
  return `Runs a pipeline: ${line.slice(0, longestDescription).toWellFormed()}`;
}
