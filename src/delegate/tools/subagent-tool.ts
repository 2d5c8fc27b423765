import { type AgentDefinition, defaultTimeoutSeconds } from "../../agent/definition/agent.ts";
import { CadreError } from "../../errors.ts";
import type { OfferedParameter, OfferedRecipe } from "../../run/offered-recipe.ts";
import type { RunSpec } from "../../run/run.ts";
import { didYouMean } from "../../source/nearest.ts";
import { createTool, type Tool, type ToolOutcome } from "../../tool/tool.ts";
import { describeResult } from "./agent-tool.ts";
import type { Delegate } from "../start/delegate.ts";
import type { Assignment, Origin } from "../assignment.ts";
import {
  assignRecipe,
  assignRecipeAgent,
  type RecipeAssignment,
  type RecipeSource,
} from "../request/recipe-assignment.ts";
import { taskTitle, shortDescription } from "../shorten.ts";
import { type SubagentInput, subagentInput } from "../request/subagent-input.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { promptFile } from "../../prompt-file.ts";

/** Options of {@link createSubagentTool}. */
export interface SubagentToolOptions {
  delegate: Delegate;
  recipes: RecipeSource;
  /** The recipes that may be called by name. */
  offered: readonly OfferedRecipe[];
  findAgent: (name: string, origin: Pick<Origin, "spec"> | undefined) => Promise<AgentDefinition>;
  /** Waits for the end of a run. */
  result: (runId: string) => Promise<Parameters<typeof describeResult>[1]>;
}

/** The inputs that determine which run a call requests. */
export interface SubagentSource extends Pick<
  SubagentToolOptions,
  "recipes" | "offered" | "findAgent"
> {
  /** The delegating run. Absent: the user. */
  parent: RunSpec | undefined;
  /** The folder for relative paths of the call; absolute. */
  workspace: string;
}

/**
 * Creates the `Subagent` tool, which runs an ad hoc task, a recipe, or a recipe with additional instructions. Calls in one
 * message run in parallel, except calls of a recipe that is `sequential_when_repeated`.
 */
export function createSubagentTool(options: SubagentToolOptions): Tool {
  return createTool({
    name: "Subagent",
    description: describeSubagent(options.offered),
    access: "delegate",
    input: subagentInput,
    describe: (input) => ({
      title: `Subagent ${subagentName(input)}: ${taskTitle(input.instructions ?? "")}`.replace(
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
      // After a resume the run already exists, while its recipe may be gone.
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

/** Returns the name of the worker in messages. */
export function subagentName({ subrecipe, agent }: SubagentInput): string {
  return subrecipe ?? agent ?? "ad hoc";
}

/** Returns the outcome of a call that does not wait. `later` says how its result arrives. */
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
 * Creates the assignment of a call.
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
    ...omitUndefined({ temperature }),
  };
}

/** Chooses the agent and the task. */
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
    // Agents cannot make the user fill in missing values.
    return await assignRecipeAgent({ search: recipes.search }, definition, call);
  }
  return { definition: adHoc(parent?.agents ?? null, offered), task: instructions };
}

const systemPrompt = promptFile(new URL("prompt/subagent.md", import.meta.url));

/** Creates an agent for an ad hoc task, with its caller's rights. */
function adHoc(agents: RunSpec["agents"], recipes: readonly OfferedRecipe[]): AgentDefinition {
  return {
    name: "subagent",
    description: "Works on one task that another agent describes.",
    systemPrompt: systemPrompt(),
    timeoutSeconds: defaultTimeoutSeconds,
    ...(agents !== null && { agents }),
    recipes,
    source: { format: "builtin", scope: "builtin", path: null },
    diagnostics: [],
    lines: {},
  };
}

/**
 * Overrides the recipe's settings with the call's. A provider alone selects the same model from that provider. A model alone uses
 * the provider of the recipe, otherwise the parent's.
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
      ...omitUndefined({ model, modelNear: near }),
    };
  }
  const asked = references.find((one) => one !== undefined);
  const id = model ?? asked?.slice(asked.indexOf(":") + 1);
  if (id === undefined) {
    const message = `Expected settings.model beside settings.provider (${provider}): there is no parent's model to request from it.`;
    throw new CadreError("invalid-argument", message);
  }
  const isQualified = id.toLowerCase().startsWith(`${provider.toLowerCase()}:`);
  return { model: isQualified ? id : `${provider}:${id}` };
}

/** Returns the provider that a reference names. */
function providerOf(reference: string | undefined): string | undefined {
  return reference?.includes(":") === true ? reference.slice(0, reference.indexOf(":")) : undefined;
}

function unknownRecipe(name: string, offered: readonly OfferedRecipe[]): CadreError {
  const names = offered.map((recipe) => recipe.name);
  const available = names.length === 0 ? "There are none" : `Available: ${names.join(", ")}`;
  const message = `There is no subrecipe "${name}".${didYouMean(name, names)} ${available}. Or write the task in instructions.`;
  return new CadreError("invalid-argument", message, { details: { name, available: names } });
}

/** Returns the description of the tool for models. */
export function describeSubagent(offered: readonly OfferedRecipe[]): string {
  return [
    "Delegates a task to a sub-agent with its own conversation, and returns its summary. Three ways: instructions alone",
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
  return `- ${name}: ${shortDescription(description, count)}${tail}`;
}

function describeParameter(parameter: OfferedParameter, count: number): string {
  const { key, inputType, requirement, description, options } = parameter;
  const choices = options === undefined ? "" : ` of ${options.join(", ")}`;
  const need = requirement === "optional" ? "optional" : "required";
  return `${key} (${inputType}${choices}, ${need}) ${shortDescription(description, count)}`.trim();
}
