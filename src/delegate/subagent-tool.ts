import { readFileSync } from "node:fs";
import { type AgentDefinition, defaultTimeoutSeconds } from "../agent/agent.ts";
import { CadreError } from "../errors.ts";
import type { OfferedParameter, OfferedRecipe } from "../run/offered-recipe.ts";
import type { RunSpec } from "../run/run.ts";
import { didYouMean } from "../source/nearest.ts";
import { defineTool, type Tool, type ToolOutcome } from "../tool/tool.ts";
import { describeResult } from "./agent-tool.ts";
import type { Delegate } from "./delegate.ts";
import type { Assignment, Origin } from "./delegation.ts";
import {
  assignRecipe,
  assignRecipeAgent,
  type RecipeAssignment,
  type RecipeSource,
} from "./recipe-assignment.ts";
import { firstLine, oneLine } from "./shorten.ts";
import { type SubagentInput, subagentInput } from "./subagent-input.ts";

/** What {@link createSubagentTool} needs. */
export interface SubagentToolOptions {
  delegate: Delegate;
  recipes: RecipeSource;
  /** The recipes it may be asked for by name. */
  offered: readonly OfferedRecipe[];
  findAgent: (name: string, origin: Pick<Origin, "spec"> | undefined) => Promise<AgentDefinition>;
  /** Waits for the end of a run. */
  result: (runId: string) => Promise<Parameters<typeof describeResult>[1]>;
}

/** What decides which run a call of the tool asks for. */
export interface SubagentSource extends Pick<
  SubagentToolOptions,
  "recipes" | "offered" | "findAgent"
> {
  /** Who delegates; absent: a user. */
  parent: RunSpec | undefined;
  /** Absolute; where paths of the call begin. */
  workspace: string;
}

/**
 * The `Subagent` tool: a task in the caller's own words, a recipe, or a recipe with more instructions. Several calls
 * in one message run in parallel, except those of a recipe that is `sequential_when_repeated`.
 */
export function createSubagentTool(options: SubagentToolOptions): Tool {
  return defineTool({
    name: "Subagent",
    description: describeSubagent(options.offered),
    access: "delegate",
    input: subagentInput,
    describe: (input) => ({
      title: `Subagent ${subagentName(input)}: ${firstLine(input.instructions ?? "")}`.replace(
        /: $/,
        "",
      ),
      subject: subagentName(input),
      paths: [],
    }),
    async execute(input, context) {
      const parent = context.caller.spec;
      const source = { ...options, parent, workspace: parent.workspace };
      const origin = { ...context.caller, stepKey: context.stepKey };
      // After a resume its run is there already, and its recipe may not be.
      const id = await options.delegate.assign(() => assignSubagent(source, input), origin);
      if (input.background === true) {
        return acceptSubagent(
          id,
          { label: input.label, definition: { name: subagentName(input) } },
          "Its result enters this conversation when it has ended.",
        );
      }
      return describeResult(subagentName(input), await context.yieldWhile(options.result(id)));
    },
  });
}

/** Who works, as messages call it. */
export function subagentName({ subrecipe, agent }: SubagentInput): string {
  return subrecipe ?? agent ?? "ad hoc";
}

/** What a call comes to that does not wait; `later` says how its result comes. */
export function acceptSubagent(
  runId: string,
  { label, definition }: { label?: string | undefined; definition: { name: string } },
  later: string,
): ToolOutcome {
  return {
    text: `Started in the background: ${label ?? definition.name} (run ${runId}). ${later}`,
    output: { runId, label: label ?? null, status: "accepted" },
  };
}

/**
 * The run that a call asks for.
 *
 * @throws CadreError `invalid-argument`, `agent-not-found`, `definition-invalid` or `delegation-denied`.
 */
export async function assignSubagent(
  source: SubagentSource,
  input: SubagentInput,
): Promise<Assignment> {
  const { instructions: _, subrecipe: __, agent: ___, parameters: ____, settings, ...rest } = input;
  const wanted = await chooseWork(source, input);
  const model = chooseModelSettings(settings, wanted.definition, source.parent);
  const temperature = settings?.temperature;
  return {
    ...(rest as Partial<Assignment>),
    background: input.background ?? false,
    ...wanted,
    ...model,
    ...(temperature !== undefined && { temperature }),
  };
}

/** Who does it, and what it is. */
async function chooseWork(
  { recipes, offered, findAgent, parent, workspace }: SubagentSource,
  { instructions = "", subrecipe, agent, parameters }: SubagentInput,
): Promise<RecipeAssignment> {
  if (subrecipe !== undefined) {
    const recipe = offered.find(({ name }) => name === subrecipe);
    if (recipe === undefined) throw unknownRecipe(subrecipe, offered);
    const more = instructions === "" ? undefined : instructions;
    const call = { parameters, instructions: more, workspace };
    return await assignRecipe(recipes, recipe, call);
  }
  if (agent !== undefined) {
    const origin = parent === undefined ? undefined : { spec: parent };
    const definition = await findAgent(agent, origin);
    if (definition.source.format !== "recipe") return { definition, task: instructions };
    const call = { parameters: undefined, instructions, workspace };
    // Agents cannot have the user asked for what they left out.
    return await assignRecipeAgent({ place: recipes.place }, definition, call);
  }
  return { definition: adHoc(parent?.agents ?? null, offered), task: instructions };
}

let prompt: string | undefined;

/** An agent for a task in the caller's own words: it may do what the caller may. */
function adHoc(agents: RunSpec["agents"], recipes: readonly OfferedRecipe[]): AgentDefinition {
  prompt ??= readFileSync(new URL("prompt/subagent.md", import.meta.url), "utf8").trim();
  return {
    name: "subagent",
    description: "Works on one task that another agent put in its own words.",
    systemPrompt: prompt,
    timeoutSeconds: defaultTimeoutSeconds,
    ...(agents !== null && { agents }),
    recipes,
    source: { format: "builtin", scope: "builtin", path: null },
    diagnostics: [],
    lines: {},
  };
}

/**
 * The call's settings over the recipe's. A provider alone means the model that would be asked, from that provider; a model
 * alone is of the provider that the recipe names, else of the parent's.
 */
function chooseModelSettings(
  { provider, model }: NonNullable<SubagentInput["settings"]> = {},
  definition: AgentDefinition,
  parent: RunSpec | undefined,
): Pick<Assignment, "model" | "modelNear"> {
  if (model === undefined && provider === undefined) return {};
  const references = [definition.model, parent?.model ?? undefined];
  if (provider === undefined) {
    const near = references.map(providerOf).find((one) => one !== undefined);
    return {
      ...(model !== undefined && { model }),
      ...(near !== undefined && { modelNear: near }),
    };
  }
  const asked = references.find((one) => one !== undefined);
  const id = model ?? asked?.slice(asked.indexOf(":") + 1);
  if (id === undefined) {
    const message = `Expected settings.model beside settings.provider (${provider}): there is no model of a parent that could be asked from it.`;
    throw new CadreError("invalid-argument", message);
  }
  const isQualified = id.toLowerCase().startsWith(`${provider.toLowerCase()}:`);
  return { model: isQualified ? id : `${provider}:${id}` };
}

/** The provider that a reference names. */
function providerOf(reference: string | undefined): string | undefined {
  return reference?.includes(":") === true ? reference.slice(0, reference.indexOf(":")) : undefined;
}

function unknownRecipe(name: string, offered: readonly OfferedRecipe[]): CadreError {
  const names = offered.map((recipe) => recipe.name);
  const available = names.length === 0 ? "There are none" : `Available: ${names.join(", ")}`;
  const message = `There is no subrecipe "${name}".${didYouMean(name, names)} ${available}. Or put the task into instructions.`;
  return new CadreError("invalid-argument", message, { details: { name, available: names } });
}

/** What a model is told of the tool. */
export function describeSubagent(offered: readonly OfferedRecipe[]): string {
  return [
    "Delegates a task to a sub-agent with a conversation of its own, and returns its summary. Three ways: instructions alone",
    "(a task in your own words), subrecipe (a task that is prepared, with parameters), or both (the recipe, with your",
    "instructions added). Calls in one message run in parallel.",
    "",
    "Available subrecipes:",
    ...(offered.length > 0
      ? offered.map((recipe) => describeRecipe(recipe, offered.length))
      : ["(none)"]),
  ].join("\n");
}

function describeRecipe(offered: OfferedRecipe, count: number): string {
  const { name, description, parameters, ...recipe } = offered;
  const open = parameters.filter(({ key }) => !Object.hasOwn(recipe.values, key));
  const notes = [
    ...(open.length === 0
      ? []
      : [`parameters: ${open.map((one) => describeParameter(one, count)).join("; ")}`]),
    ...(recipe.sequentialWhenRepeated ? ["calls of it run one after another"] : []),
  ];
  const tail = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
  return `- ${name}: ${oneLine(description, count)}${tail}`;
}

function describeParameter(parameter: OfferedParameter, count: number): string {
  const { key, inputType, requirement, description, options } = parameter;
  const choices = options === undefined ? "" : ` of ${options.join(", ")}`;
  const need = requirement === "optional" ? "optional" : "required";
  return `${key} (${inputType}${choices}, ${need}) ${oneLine(description, count)}`.trim();
}
