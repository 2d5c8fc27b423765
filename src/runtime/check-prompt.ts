import type { CheckPlace } from "../agent/check.ts";
import { type PromptFile, readPromptFile } from "../pipeline/prompt-file.ts";
import type { RecipePlace } from "../recipe/recipe-folder.ts";
import type { Diagnostic } from "../source/diagnostic.ts";
import { createAgentAccess } from "./agent-access.ts";
import { createCatalog } from "./catalog.ts";
import { findAgentProblems } from "./find-agent-problems.ts";

/**
 * Reads the prompt file at `path` (absolute), and looks its agents up as a run would. Findings in the prompt file come first, then
 * those in the files of its `.aip` agents.
 */
export async function checkPrompt(
  path: string,
  place: CheckPlace & RecipePlace,
): Promise<PromptFile> {
  const prompt = await readPromptFile(path);
  const catalog = createCatalog([], place);
  const { isTrusted } = place;
  const access = createAgentAccess({ catalog, recipes: { place }, isTrusted });
  const { problems } = await findAgentProblems(prompt, { ...access, isTrusted });
  const isOwn = (problem: Diagnostic): boolean => problem.path === path;
  const own = [...prompt.diagnostics, ...problems.filter(isOwn)];
  const others = problems.filter((problem) => !isOwn(problem));
  const diagnostics = [...own.sort((one, two) => one.line - two.line), ...others];
  return { ...prompt, diagnostics };
}
