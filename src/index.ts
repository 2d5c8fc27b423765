// First: it throws where Node is too old for what follows.
export { minimumNode } from "./require-node.ts";
export type { AgentDefinition, AgentFormat, AgentScope, AgentSource } from "./agent/agent.ts";
export { checkPaths, loadAgentFile } from "./agent/check.ts";
export { type Conversion, convertAgent } from "./agent/convert.ts";
export { type AgentFieldRow, explainAgent } from "./agent/describe-agent.ts";
export type { Discovery } from "./agent/discover.ts";
export type { Loss } from "./agent/format-writer.ts";
export { type TextFormat, textFormats } from "./agent/parse-agent.ts";
export {
  defineAgent,
  type ProgramAgent,
  type ProgramAnswer,
  type ProgramContext,
  type ProgramInput,
  type ProgramOutput,
  type ProgramQuestion,
  type ProgramStepOptions,
} from "./agent/program.ts";
export { listAipInputs } from "./runtime/aip-inputs.ts";
export { nameRunner } from "./agent/runner.ts";
export { writeConversion } from "./agent/write-conversion.ts";
export { initProject, type InitResult } from "./config/init.ts";
export type { ConfigSource, LoadedConfig } from "./config/load-config.ts";
export { createTrust, type Trust } from "./config/trust.ts";
export type { Budget } from "./run/budget.ts";
export type { Delegation } from "./run/delegation.ts";
export type { Ask } from "./engine/approvals.ts";
export type { RunActivity } from "./engine/engine.ts";
export { describeResult } from "./delegate/agent-tool.ts";
export { isGraph } from "./delegate/graph/is-graph.ts";
export { plainLine, plainText } from "./extension/plain-text.ts";
export { type ElicitField, type ElicitValue, readElicitFields } from "./extension/elicit-field.ts";
export type { ElicitAnswer, ElicitRequest, OnElicit } from "./extension/elicitation.ts";
export { CadreError, type CadreErrorCode } from "./errors.ts";
export {
  checkRecipes,
  discoverRecipes,
  findRecipe,
  type FoundRecipe,
  openRecipe,
  type RecipeDiscovery,
} from "./recipe/discover-recipes.ts";
export {
  type LoadedRecipe,
  loadRecipe,
  type LoadRecipeOptions,
  type LocatedSubRecipe,
} from "./recipe/load-recipe.ts";
export type { AskParameter, ParameterProblem } from "./recipe/parameter-values.ts";
export {
  type Preparation,
  type PreparedRecipe,
  type PrepareOptions,
  prepareRecipe,
  prepareSubRecipe,
} from "./recipe/prepare-recipe.ts";
export { type RecipeDefinition, recipeToDefinition } from "./recipe/recipe-definition.ts";
export { type RecipeFolder, recipeFolders, type RecipePlace } from "./recipe/recipe-folder.ts";
export type {
  InputType,
  ParameterRequirement,
  Recipe,
  RecipeExtension,
  RecipeFields,
  RecipeParameter,
  SubRecipe,
} from "./recipe/recipe.ts";
export { renderRecipe } from "./recipe/render-recipe.ts";
export type {
  CoderResponse,
  HistoryItem as SubAgentHistoryItem,
  SubAgentEntry,
  SubAgentInput,
  SubAgentOutput,
} from "./pipeline/contract.ts";
export type { AgentConfig as SubAgentConfig, EntryFinding } from "./pipeline/entry.ts";
export { isRootEvent, type PipelineEvent, type RootEvent } from "./pipeline/event/event-name.ts";
export { listFiles, type ListedFiles } from "./pipeline/list-files.ts";
export { type PipelinePlan, planPipeline, type PlannedEvent } from "./pipeline/plan.ts";
export { type PromptFile, readPromptFile } from "./pipeline/prompt-file.ts";
export {
  subAgentInputSchema,
  subAgentOutputSchema,
} from "./pipeline/sub-agent/sub-agent-schema.ts";
export type { RunEvent, RunEventBody } from "./run/event.ts";
export type { Failure, FailureCode } from "./run/failure.ts";
export type { ApprovalAnswer, ApprovalRequest, PermissionMode } from "./run/permission.ts";
export type { RunResult, TerminalStatus } from "./run/result.ts";
export { addUpRuns, type FamilyFigures, type Figures } from "./run/figures/figures.ts";
export { isTerminal, type Run, type RunStatus } from "./run/run.ts";
export { type RunOverview, toRunOverviews } from "./run/figures/run-overview.ts";
export type { Usage } from "./run/usage.ts";
export type { Cadre, CadreOptions, LibraryAgent, RunHandle } from "./runtime/cadre.ts";
export { checkNames } from "./runtime/check-names.ts";
export { checkProject, type ProjectPlace } from "./runtime/check-project.ts";
export { checkPrompt } from "./runtime/check-prompt.ts";
export { createCadre } from "./runtime/create-cadre.ts";
export type {
  DelegateCallOptions,
  DelegateOutcome,
  DelegateTool,
} from "./runtime/delegate-tool.ts";
export type { DelegateTools } from "./runtime/delegate-tools.ts";
export type { JsonObject, JsonValue } from "./source/json.ts";
export { type Diagnostic, formatDiagnostic, hasError, type Severity } from "./source/diagnostic.ts";
export { listDiagnostics } from "./source/group-diagnostics.ts";
export { nearest as nearestName } from "./source/nearest.ts";
export { findProjectRoot } from "./source/project-root.ts";
export { killAllProcesses } from "./tool/process/launch-process.ts";
export { findWeakenedPromises, type WeakenedPromise } from "./tool/sandbox/weakened-promises.ts";
