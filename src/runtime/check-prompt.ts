import type { CheckPlace } from "../agent/check.ts";
import { type PromptFile, readPromptFile } from "../pipeline/prompt-file.ts";
import type { RecipePlace } from "../recipe/recipe-folder.ts";
import { createAgentAccess } from "./agent-access.ts";
import { createCatalog } from "./catalog.ts";
import { findAgentProblems } from "./find-agent-problems.ts";

/** Reads the prompt file at `path` (absolute), and looks its agents up as a run would. */
export async function checkPrompt(
  path: string,
  place: CheckPlace & RecipePlace,
): Promise<PromptFile> {
  const prompt = await readPromptFile(path);
  const catalog = createCatalog([], place);
  const { isTrusted } = place;
  const access = createAgentAccess({ catalog, recipes: { place }, isTrusted });
  const { problems } = await findAgentProblems(prompt, { ...access, isTrusted });
  const diagnostics = [...prompt.diagnostics, ...problems].sort((one, two) => one.line - two.line);
  return { ...prompt, diagnostics };
}
