import { type PromptFile, readPromptFile } from "../../pipeline/prompt-file/prompt-file.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { createCheckAccess, type ProjectToCheck } from "./check-access.ts";
import { findAgentProblems } from "../pipeline/find-agent-problems.ts";

/**
 * Checks the prompt file at `path` (absolute) and its agents as a run would. Returns findings in the prompt file first, then
 * those in its `.aip` agents.
 */
export async function checkPrompt(path: string, project: ProjectToCheck): Promise<PromptFile> {
  const prompt = await readPromptFile(path);
  const { problems } = await findAgentProblems(prompt, createCheckAccess(project));
  const isOwn = (problem: Diagnostic): boolean => problem.path === path;
  const own = [...prompt.diagnostics, ...problems.filter(isOwn)];
  const others = problems.filter((problem) => !isOwn(problem));
  const diagnostics = [...own.sort((one, two) => one.line - two.line), ...others];
  return { ...prompt, diagnostics };
}
