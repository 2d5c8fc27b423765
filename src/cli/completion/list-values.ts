import { homedir } from "node:os";
import { Argument, type Option } from "commander";
import { firstLine } from "../terminal/clean-text.ts";
import { withRuns } from "../run/open-cadre.ts";
import { titleOf } from "../view/tree-line.ts";

/** A word that may stand at a position of the command line. */
export interface Candidate {
  value: string;
  description: string;
}

/** The values of an argument or an option. */
export interface Values {
  candidates: readonly Candidate[];
  /** The kind of paths that may stand there too. */
  paths: "none" | "files" | "folders";
}

type Source = (index: number) => Promise<Values>;

const nothing: Source = () => Promise.resolve({ candidates: [], paths: "none" });
const files: Source = () => Promise.resolve({ candidates: [], paths: "files" });
const folders: Source = () => Promise.resolve({ candidates: [], paths: "folders" });

/** The number of runs that are offered, newest first. */
const offeredRuns = 20;

/** The sources of arguments' values, by the argument's name in the help. */
const argumentSources: Readonly<Record<string, Source>> = {
  run: listRuns,
  runs: listRuns,
  agent: listAgents,
  recipe: listRecipes,
  recipes: listRecipes,
  words: listRunnable,
  files,
  question: listQuestions,
  trigger: listTriggers,
  call: nothing,
  message: nothing,
  title: nothing,
  file: files,
  paths: files,
  path: folders,
  folder: folders,
  folders,
};

/** The sources of options' values, by the option's long name. */
const optionSources: Readonly<Record<string, Source>> = {
  "--after": nothing,
  "--agent": listAgents,
  "--at": nothing,
  "--budget": nothing,
  "--clone": nothing,
  "--concurrency": nothing,
  "--continue": listRuns,
  "--cwd": folders,
  "--data": nothing,
  "--dedupe": nothing,
  "--drain": nothing,
  "--fallback": nothing,
  "--filter": nothing,
  "--http": nothing,
  "--host": nothing,
  "--input": nothing,
  "--junit": files,
  "--label": nothing,
  "--limit": nothing,
  "--mode": listModes,
  "--model": nothing,
  "--needs": nothing,
  "--older-than": nothing,
  "--on-files": files,
  "--output": files,
  "--param": nothing,
  "--parent": listAgents,
  "--port": nothing,
  "--priority": nothing,
  "--reason": nothing,
  "--recipe": listRecipes,
  "--record": folders,
  "--repeat": nothing,
  "--replay": folders,
  "--resume": nothing,
  "--rule": nothing,
  "--sandbox": listSandboxModes,
  "--search": nothing,
  "--task": nothing,
  "--timeout": nothing,
  "--tls-cert": files,
  "--tls-key": files,
  "--to": listFormats,
};

/** Returns the function that lists the values of an argument or option; `undefined` for an unknown one. */
export function valueSource(expected: Argument | Option): Source | undefined {
  const { argChoices } = expected;
  if (argChoices !== undefined) return () => Promise.resolve(toValues(argChoices));
  return expected instanceof Argument
    ? argumentSources[expected.name()]
    : optionSources[expected.long ?? ""];
}

/** Lists the values of an argument or an option. `index` is the number of positional words before it. */
export async function listValues(expected: Argument | Option, index = 0): Promise<Values> {
  return await (valueSource(expected) ?? nothing)(index);
}

function toValues(values: readonly string[]): Values {
  return { candidates: values.map((value) => ({ value, description: "" })), paths: "none" };
}

async function listTriggers(): Promise<Values> {
  const { triggers } = await withRuns(
    async ({ configuration }) => await Promise.resolve(configuration.config),
  );
  return toValues(Object.keys(triggers));
}

async function listAgents(): Promise<Values> {
  const { agents } = await withRuns(async (cadre) => await cadre.agents());
  const candidates = agents.map(({ name, description }) => ({
    value: name,
    description: firstLine(description),
  }));
  return { candidates, paths: "files" };
}

/** Lists agents and files for the first word of `cadre run`, and files for the words after it. */
async function listRunnable(index: number): Promise<Values> {
  return { candidates: index === 0 ? (await listAgents()).candidates : [], paths: "files" };
}

async function listQuestions(): Promise<Values> {
  const questions = await withRuns(async (cadre) => await cadre.questions());
  const candidates = questions.map(({ id, title }) => ({
    value: id,
    description: firstLine(title),
  }));
  return { candidates, paths: "none" };
}

async function listRuns(): Promise<Values> {
  const runs = await withRuns(
    async (cadre) => await cadre.runs({ rootsOnly: true, limit: offeredRuns }),
  );
  const candidates = runs.map((run) => ({
    value: run.id,
    description: `${run.status}: ${firstLine(titleOf(run))}`,
  }));
  const last = { value: "last", description: "the newest run" };
  return { candidates: [last, ...candidates], paths: "none" };
}

async function listRecipes(): Promise<Values> {
  const { discoverRecipes } = await import("../../host.ts");
  const project = { cwd: process.cwd(), home: homedir(), environment: process.env };
  const { recipes } = await discoverRecipes(project);
  const candidates = recipes.map(({ recipe }) => ({
    value: recipe.name,
    description: firstLine(recipe.description),
  }));
  return { candidates, paths: "files" };
}

async function listModes(): Promise<Values> {
  const { permissionModes } = await import("../../host.ts");
  return toValues(permissionModes);
}

async function listSandboxModes(): Promise<Values> {
  return await Promise.resolve(toValues(["auto", "off", "required"]));
}

async function listFormats(): Promise<Values> {
  const { textFormats } = await import("../../host.ts");
  return toValues(textFormats);
}
