// The catalog: all agents and recipes that can be run.

import { resolve } from "node:path";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { type Discovery, discoverAgents, type DiscoverRequest } from "../../agent/discover.ts";
import { builtInFormats } from "../../agent/find-format.ts";
import type { FormatTable } from "../../agent/format/agent-file-format.ts";
import { loadProgram } from "../../agent/program/load-program.ts";
import type { ProgramAgent } from "../../agent/program/program.ts";
import { discoverRecipes, type RecipeDiscovery } from "../../recipe/load/discover-recipes.ts";
import { isRecipeFile, type RecipeSearch } from "../../recipe/recipe-folder.ts";
import type { OfferedRecipe } from "../../run/offered-recipe.ts";
import { addAgents } from "./add-agents.ts";
import { createCodeAgents } from "./code-agents.ts";
import { discoverAips, isAipFile, loadGivenAip } from "../aip/aip-agents.ts";
import { findPromptFiles, loadPromptAgent } from "../pipeline/prompt-agents.ts";
import { addRecipes, loadRecipeAgents, offerRecipe, withoutErrors } from "./recipe-agents.ts";
import { CadreError } from "../../errors.ts";
import { isChangedSince } from "../../source/file/is-changed-since.ts";
import { type Diagnostic, hasError } from "../../source/diagnostic.ts";
import { findProjectRoot } from "../../source/file/project-root.ts";
import type { LibraryAgent } from "../library-agent.ts";
import { watchCatalog } from "./watch-catalog.ts";

/** The agents of one Cadre. */
export interface Catalog {
  /** Returns the agents. Reads them on first use, and returns the same object until a watched file changes. */
  discover(): Promise<Discovery>;
  /** Returns the recipes without errors, which agents may run by name. */
  recipes(): Promise<readonly OfferedRecipe[]>;
  /** Returns why a definition of that name cannot be used. */
  problemsOf(name: string): Promise<Diagnostic[]>;
  /** Loads the function of a program agent. */
  program(definition: AgentDefinition): Promise<ProgramAgent>;
  /** When definitions were first read, in epoch milliseconds; the current time before that. */
  openedAt(): number;
  /** Adds an agent given in code. */
  add(agent: LibraryAgent): void;
  /** Discards the agents, so that the next use reads them again. */
  forget(): void;
  /** Returns the names of the program's own tools, which definitions may name. */
  ownTools(): readonly string[];
  /** The formats in which agents are read. */
  formats: FormatTable;
  /** Reports whether the file at `path` changed after {@link Catalog.openedAt}. */
  isLater(path: string): boolean;
  /** See `Cadre.watchAgents`. */
  watch(onChange: () => void): Promise<() => void>;
}

/** Creates the catalog of agents given in code and found in files. */
export function createCatalog(
  given: readonly LibraryAgent[],
  request: DiscoverRequest & RecipeSearch,
): Catalog {
  const { formats = builtInFormats } = request;
  const inCode = createCodeAgents(given);
  let discovery: Promise<Discovery> | undefined;
  let files: Promise<FoundInFiles> | undefined;
  let found: Promise<RecipeDiscovery> | undefined;
  const { openedAt, isLater } = createAge(request);
  const findRecipes = (): Promise<RecipeDiscovery> => {
    openedAt();
    return (found ??= discoverRecipes(request));
  };
  const discover = (): Promise<Discovery> => (discovery ??= discoverAll());

  async function discoverAll(): Promise<Discovery> {
    openedAt();
    const { named, all } = await (files ??= findInFiles(request, {
      isLater,
      formats,
      findRecipes,
    }));
    return addGiven([...inCode.definitions(), ...named], all);
  }

  async function offerRecipes(): Promise<readonly OfferedRecipe[]> {
    return withoutErrors((await findRecipes()).recipes).map(offerRecipe);
  }

  function forget(): void {
    discovery = undefined;
    files = undefined;
    found = undefined;
  }

  return {
    discover,
    openedAt,
    formats,
    isLater,
    ownTools: () => request.ownTools?.() ?? [],
    forget,
    add(agent) {
      inCode.add(agent);
      discovery = undefined;
    },
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
    program: (definition) => findProgram(definition, inCode.program, request),
  };
}

/** The agents in files. */
interface FoundInFiles {
  /** The agents in the named files. */
  named: AgentDefinition[];
  /** The discovered agents, and the built-in ones. */
  all: Discovery;
}

async function findInFiles(
  request: DiscoverRequest & RecipeSearch,
  {
    isLater,
    formats,
    findRecipes,
  }: Pick<Catalog, "isLater" | "formats"> & { findRecipes: () => Promise<RecipeDiscovery> },
): Promise<FoundInFiles> {
  const files = (request.files ?? []).map((path) => resolve(request.cwd, path));
  const recipeFiles = files.filter(isRecipeFile);
  const promptFiles = await findPromptFiles(files, formats);
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
  return { named: named.flat(), all };
}

/** Creates the test of whether a file is older than the first read of definitions. */
function createAge(request: DiscoverRequest): Pick<Catalog, "openedAt" | "isLater"> {
  const folders = { cwd: request.cwd, root: findProjectRoot(request) };
  let opened: number | undefined;
  const openedAt = (): number => (opened ??= Date.now());
  return { openedAt, isLater: (path) => isChangedSince(path, openedAt(), folders) };
}

/** Loads the function of a program: from a file, given in code, or built in. */
async function findProgram(
  { name, source }: AgentDefinition,
  inCode: (name: string) => ProgramAgent | undefined,
  { isTrusted }: Pick<DiscoverRequest, "isTrusted">,
): Promise<ProgramAgent> {
  const { path, scope } = source;
  if (path === null) {
    const isOwn = scope === "builtin";
    const program = isOwn
      ? (await import("./builtin-programs.ts")).builtinPrograms.get(name)
      : inCode(name);
    if (program !== undefined) return program;
    const message = `The agent ${name} was given in code, and this process does not have it. Pass it to createCadre({ agents }).`;
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

function untrusted(path: string): CadreError {
  return new CadreError(
    "not-trusted",
    `The program agent ${path} would run code of a folder that is not trusted. Read it, then type \`cadre trust\` there (or use the option \`trust\` for one run).`,
  );
}
