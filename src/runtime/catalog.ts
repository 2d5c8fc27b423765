import { resolve } from "node:path";
import { type AgentDefinition, defaultTimeoutSeconds } from "../agent/agent.ts";
import { type Discovery, discoverAgents, type DiscoverRequest } from "../agent/discover.ts";
import { loadProgram } from "../agent/load-program.ts";
import type { ProgramAgent } from "../agent/program.ts";
import { discoverRecipes, type RecipeDiscovery } from "../recipe/discover-recipes.ts";
import { isRecipeFile, type RecipePlace } from "../recipe/recipe-folder.ts";
import type { OfferedRecipe } from "../run/offered-recipe.ts";
import { addAgents } from "./add-agents.ts";
import { discoverAips, isAipFile, loadGivenAip } from "./aip-agents.ts";
import { findPromptFiles, loadPromptAgent } from "./prompt-agents.ts";
import { addRecipes, loadRecipeAgents, offerRecipe, withoutErrors } from "./recipe-agents.ts";
import { CadreError } from "../errors.ts";
import { isChangedSince } from "../source/change/is-changed-since.ts";
import { type Diagnostic, hasError } from "../source/diagnostic.ts";
import { findProjectRoot } from "../source/project-root.ts";
import type { LibraryAgent } from "./cadre.ts";
import { watchCatalog } from "./watch-catalog.ts";

/** The agents of one Cadre. */
export interface Catalog {
  /** Looked up once, when first needed; the same object until something changed that is watched. */
  discover(): Promise<Discovery>;
  /** The recipes of the recipe folders that have no errors, by whose names agents may have them run. */
  recipes(): Promise<readonly OfferedRecipe[]>;
  /** What keeps a definition of that name from being used. */
  problemsOf(name: string): Promise<Diagnostic[]>;
  /** The function behind a program agent. */
  program(definition: AgentDefinition): Promise<ProgramAgent>;
  /** When definitions were first looked for, in epoch milliseconds; now when they were not yet. */
  openedAt(): number;
  /** Whether the file at `path` changed after {@link Catalog.openedAt}. */
  isLater(path: string): boolean;
  /** See `Cadre.watchAgents`. */
  watch(onChange: () => void): Promise<() => void>;
}

/** The agents given in code, and those found in files. */
export function createCatalog(
  given: readonly LibraryAgent[],
  request: DiscoverRequest & RecipePlace,
): Catalog {
  const programs = new Map<string, ProgramAgent>();
  const definitions = given.map(toDefinition);
  for (const agent of given) if ("run" in agent) programs.set(agent.name, agent);
  let discovery: Promise<Discovery> | undefined;

  let found: Promise<RecipeDiscovery> | undefined;
  const { openedAt, isLater } = createAge(request);
  const findRecipes = (): Promise<RecipeDiscovery> => {
    openedAt();
    return (found ??= discoverRecipes(request));
  };
  const discover = (): Promise<Discovery> => (discovery ??= discoverAll());

  async function discoverAll(): Promise<Discovery> {
    openedAt();
    const files = (request.files ?? []).map((path) => resolve(request.cwd, path));
    const recipeFiles = files.filter(isRecipeFile);
    const promptFiles = await findPromptFiles(files);
    const special = new Set([...recipeFiles, ...promptFiles, ...files.filter(isAipFile)]);
    const [agents, recipes, aips, ...named] = await Promise.all([
      discoverAgents({ ...request, isLater, files: files.filter((path) => !special.has(path)) }),
      findRecipes(),
      discoverAips(request),
      loadRecipeAgents(recipeFiles, request),
      ...promptFiles.map((path) => loadPromptAgent(path, request.cwd)),
      ...files.filter(isAipFile).map((path) => loadGivenAip(path, request)),
    ]);
    const { defineBuiltinPrograms } = await import("./builtin-programs.ts");
    const others = [...aips.agents, ...defineBuiltinPrograms()];
    const all = addAgents(addRecipes(agents, recipes), others, aips.diagnostics);
    return addGiven([...definitions, ...named.flat()], all);
  }

  async function offerRecipes(): Promise<readonly OfferedRecipe[]> {
    return withoutErrors((await findRecipes()).recipes).map(offerRecipe);
  }

  function forget(): void {
    discovery = undefined;
    found = undefined;
  }

  return {
    discover,
    openedAt,
    isLater,
    recipes: offerRecipes,
    watch: (onChange) =>
      watchCatalog({ discover, recipes: offerRecipes, forget }, request, onChange),
    async problemsOf(name) {
      const definition = (await discover()).all.find((agent) => agent.name === name);
      const problems = definition?.diagnostics ?? [];
      return problems.filter(
        ({ severity, code }) => severity === "error" || code === "agent-disabled",
      );
    },
    program: (definition) => findProgram(definition, programs, request),
  };
}

/** Tells what is older than the first look at definitions. */
function createAge(request: DiscoverRequest): Pick<Catalog, "openedAt" | "isLater"> {
  const place = { cwd: request.cwd, root: findProjectRoot(request) };
  let opened: number | undefined;
  const openedAt = (): number => (opened ??= Date.now());
  return { openedAt, isLater: (path) => isChangedSince(path, openedAt(), place) };
}

/** The function behind a program: of a file, given in code, or one that Cadre brings along. */
async function findProgram(
  { name, source }: AgentDefinition,
  given: ReadonlyMap<string, ProgramAgent>,
  { isTrusted }: Pick<DiscoverRequest, "isTrusted">,
): Promise<ProgramAgent> {
  const { path, scope } = source;
  if (path === null) {
    const isOwn = scope === "builtin";
    const programs = isOwn ? (await import("./builtin-programs.ts")).builtinPrograms : given;
    const program = programs.get(name);
    if (program !== undefined) return program;
    const message = `The agent ${name} was given in code, and this process was not given it. Pass it to createCadre({ agents }).`;
    throw new CadreError("agent-not-found", message);
  }
  // The folder may have lost its trust since the run was created.
  if (scope !== "user" && !isTrusted(path)) throw untrusted(path);
  return await loadProgram(path);
}

function addGiven(given: readonly AgentDefinition[], found: Discovery): Discovery {
  const names = new Set(given.map(({ name }) => name));
  return {
    agents: [
      ...given.filter(({ diagnostics }) => !hasError(diagnostics)),
      ...found.agents.filter(({ name }) => !names.has(name)),
    ],
    all: [...given, ...found.all],
    diagnostics: found.diagnostics,
  };
}

function toDefinition(agent: LibraryAgent): AgentDefinition {
  const shared = { diagnostics: [], lines: {} };
  if (!("run" in agent)) {
    const source = { format: "library", scope: "library", path: null } as const;
    return { timeoutSeconds: defaultTimeoutSeconds, ...agent, source, ...shared };
  }
  const { run: _, timeoutSeconds = defaultTimeoutSeconds, ...rest } = agent;
  const source = { format: "program", scope: "library", path: null } as const;
  return { ...rest, systemPrompt: "", timeoutSeconds, source, ...shared };
}

function untrusted(path: string): CadreError {
  return new CadreError(
    "not-trusted",
    `The program agent ${path} would run code of a folder that is not trusted. Read it, then type \`cadre trust\` there (or use the option \`trust\` for one run).`,
  );
}
