/** The API for your own commands and servers: reads, checks and converts the files of a project. */
export * from "./index.ts";
export {
  type ProgramAnswer,
  type ProgramQuestion,
  type ProgramStepOptions,
  type ProgramInput,
  type ProgramOutput,
} from "./agent/program/program.ts";
export { listAipInputs } from "./runtime/aip/aip-inputs.ts";
export type { Engine, RunActivity } from "./engine/engine.ts";
export { readElicitFields } from "./extension/elicitation/elicit-field.ts";
export type { ElicitAnswer, ElicitRequest, OnElicit } from "./extension/elicitation/elicitation.ts";
export type { Clock } from "./clock.ts";
export type { AskParameter, RecipeParameterProblem } from "./recipe/parameter/parameter-values.ts";
export { hasError } from "./source/diagnostic.ts";
export type { FailureCode } from "./run/failure.ts";
export type { Figures } from "./run/figures.ts";
export type { RunOverview } from "./run/run-overview.ts";
export type { ContinueOptions } from "./runtime/spawn-options.ts";
export type { RunChanges } from "./runtime/run-changes.ts";
export type {
  UIMessageChunk,
  UIMessageData,
  UIMessageMetadata,
} from "./runtime/stream/ui-message-chunk.ts";
export type { DelegateOutcome, DelegateTool } from "./runtime/tools/delegate-tool.ts";
export type { JsonObject, JsonValue } from "./source/json.ts";
export type { AgentFormat, AgentScope, AgentSource } from "./agent/definition/agent.ts";
export type { CustomAgent } from "./agent/format/custom-format.ts";
export { checkPaths, loadAgentFile } from "./agent/check.ts";
export { type Conversion, convertAgent } from "./agent/convert.ts";
export { type AgentFieldRow, explainAgent } from "./agent/describe-agent.ts";
export { describeDiscovery, type Discovery } from "./agent/discover.ts";
export type { Loss } from "./agent/write/format-writer.ts";
export { textFormats } from "./agent/find-format.ts";
export { nameRunner } from "./agent/fields/runner.ts";
export { writeConversion } from "./agent/write-conversion.ts";
export { saveAllowRule } from "./runtime/permission/save-rule.ts";
export { initProject, type InitResult } from "./config/init.ts";
export type { EngineName, NotificationSetting } from "./config/config.ts";
export { describeUnknownVariables } from "./config/environment-variables.ts";
export type { ConfigSource, LoadedConfig } from "./config/load-config.ts";
export { createTrust, type Trust } from "./config/trust.ts";
export { coversCall } from "./tool/permission/permission.ts";
export { describeResult } from "./delegate/tools/agent-tool.ts";
export type { EvalCase, LoadedCase } from "./eval/eval-file.ts";
export type { CaseReport, EvalReport, Trial } from "./eval/eval-report.ts";
export { formatJunit } from "./eval/junit.ts";
export type { EvalSettings } from "./runtime/eval/eval-record.ts";
export { loadEvals } from "./runtime/eval/load-evals.ts";
export {
  type EvalOverview,
  type EvalQuery,
  type EvalState,
  cancelEval,
  listEvals,
  readEval,
  readEvalStart,
  type RecordedEval,
} from "./runtime/eval/recorded-evals.ts";
export { findFiles } from "./runtime/catalog/find-files.ts";
export { runEvals } from "./runtime/eval/run-evals.ts";
export type { RunEvalsOptions } from "./runtime/eval/run-evals-options.ts";
export type { BoardChange } from "./run/shared/board-change.ts";
export type { BoardTask } from "./delegate/team/board.ts";
export { describeTask, summarizeBoard } from "./delegate/team/describe-board.ts";
export { continuationShape } from "./delegate/request/assign-continuation.ts";
export { delegationShape } from "./delegate/request/check-delegation.ts";
export { isEval } from "./eval/is-eval.ts";
export { isGraph } from "./delegate/graph/is-graph.ts";
export type { GraphRequest } from "./delegate/graph/start-graph.ts";
export type { PipelineRequest } from "./runtime/pipeline-request.ts";
export type { EngineParts, SpawnRequest } from "./engine/engine.ts";
export { describeTodoCall, describeTodos } from "./tool/builtin/todo-list.ts";
export { plainLine, plainText } from "./extension/plain-text.ts";
export type { ElicitField, ElicitValue } from "./extension/elicitation/elicit-field.ts";
export {
  checkRecipes,
  discoverRecipes,
  findRecipe,
  type FoundRecipe,
  openRecipe,
  type RecipeDiscovery,
} from "./recipe/load/discover-recipes.ts";
export {
  type LoadedRecipe,
  loadRecipe,
  type LoadRecipeOptions,
  type LocatedSubRecipe,
} from "./recipe/load/load-recipe.ts";
export {
  type Preparation,
  type PreparedRecipe,
  type PrepareOptions,
  prepareRecipe,
  prepareSubRecipe,
} from "./recipe/fill/prepare-recipe.ts";
export {
  type CallPermission,
  describeApproval,
  type LevelDecision,
  permissionModes,
} from "./run/permission.ts";
export { splitWords } from "./source/shell/split-words.ts";
export { realPathOf } from "./source/file/real-path.ts";
export { type RecipeDefinition, recipeToDefinition } from "./recipe/fill/recipe-definition.ts";
export { type RecipeFolder, recipeFolders, type RecipeSearch } from "./recipe/recipe-folder.ts";
export type {
  InputType,
  ParameterRequirement,
  Recipe,
  RecipeExtension,
  RecipeFields,
  RecipeParameter,
  SubRecipe,
} from "./recipe/recipe.ts";
export { describeGone } from "./runtime/changes/explain-gone.ts";
export type { MergeOptions, MergeReport } from "./runtime/run-changes.ts";
export type { ChangeSet } from "./tool/git/read-changes.ts";
export { renderRecipe } from "./recipe/fill/render-recipe.ts";
export type {
  CoderResponse,
  HistoryItem as SubAgentHistoryItem,
  SubAgentEntry,
} from "./pipeline/sub-agent/contract.ts";
export type { AgentConfig as SubAgentConfig, EntryFinding } from "./pipeline/prompt-file/entry.ts";
export { isRootEvent, type PipelineEvent, type RootEvent } from "./pipeline/event/event-name.ts";
export type { ListedFiles } from "./pipeline/files/list-files.ts";
export { type PipelinePlan, planPipeline, type PlannedEvent } from "./pipeline/plan.ts";
export { type PromptFile, readPromptFile } from "./pipeline/prompt-file/prompt-file.ts";
export {
  subAgentInputSchema,
  subAgentOutputSchema,
} from "./pipeline/sub-agent/sub-agent-schema.ts";
export type { CacheEntry, CacheTable } from "./registry/cache-table.ts";
export {
  createJournal as createRegistryJournal,
  type JournalItem,
  type JournalOptions,
} from "./registry/journal/journal.ts";
export type { Pruned } from "./registry/pruned.ts";
export type { UsageRequest, UsageSum } from "./registry/usage-sum.ts";
export type { PositionedEvent, RunFilter, RunListener, RunRequest } from "./registry/registry.ts";
export { contextSizeOf } from "./model/context/context-size.ts";
export { checkReference } from "./model/model-reference.ts";
export { type OfferedModel, offerModels } from "./model/provider/offered-models.ts";
export { readCommandLine } from "./prompt-command/command-line.ts";
export type { FilledCommand, ProjectCommand } from "./runtime/project-commands.ts";
export { openRegistry, type RegistryOptions } from "./registry/sqlite/sqlite-registry.ts";
export type { WaitingFamily } from "./registry/waiting-family.ts";
export { listWork, type WorkOverview } from "./worker/list-work.ts";
export { startWorker, type Worker, type WorkerOptions } from "./worker/worker.ts";
export { dbos, type DbosOptions } from "./engine/dispatch/dbos/dbos.ts";
export { configuredSource } from "./runtime/state/configured-source.ts";
export type { RegistrySource } from "./registry/registry-source.ts";
export { migrateRegistry } from "./runtime/state/migrate-registry.ts";
export type { MigratedSchema } from "./registry/postgres/connection/migrate.ts";
export type { RunEventBody } from "./run/event.ts";
export { type QueueRequest, queueRequestSchema } from "./run/queue/queue-request.ts";
export { runStatuses } from "./run/run.ts";
export { describeRuleProblem } from "./run/permission-rule.ts";
export type { Automation, Schedule, Trigger, Webhook } from "./runtime/automation.ts";
export type { ApiProject, ServedRun, ServerProblemCode, UsagePeriod } from "./client/answers.ts";
export { listHookCommands, showHookCommand } from "./run/hook/hook-commands.ts";
export { readRecordedOutcome, type RecordedOutcome } from "./run/outcome/read-recorded-outcome.ts";
export { describeRaise, type LimitRaise } from "./run/budget.ts";
export { budgetSchema, limitRaiseSchema } from "./run/limit/limit-schema.ts";
export { readSteps, type RunSteps } from "./run/timeline/steps.ts";
export { describeModelChange } from "./run/fallback/model-change.ts";
export type { TerminalStatus } from "./run/result.ts";
export type { RunSpec } from "./run/run.ts";
export { addUpFamilies, addUpRuns, type FamilyFigures } from "./run/figures.ts";
export { toRunOverviews } from "./run/run-overview.ts";
export { approvalAnswerSchema } from "./runtime/option/check-answer.ts";
export { checkFileNames } from "./runtime/catalog/check-names.ts";
export type { ProjectToCheck } from "./runtime/catalog/check-access.ts";
export { checkProject } from "./runtime/catalog/check-project.ts";
export { checkPrompt } from "./runtime/catalog/check-prompt.ts";
export type { DelegateCallOptions } from "./runtime/tools/delegate-tool.ts";
export type { Question } from "./runtime/question.ts";
export {
  type CallExplanation,
  type CallToExplain,
  explainCall,
} from "./runtime/permission/explain-call.ts";
export { walkFiles, type WalkedFiles } from "./tool/search/walk-files.ts";
export { createRunId } from "./run/run-id.ts";
export { closedObject } from "./source/closed-object.ts";
export { createEnvironmentRedaction } from "./source/redact.ts";
export { explainIssue } from "./source/explain-issue.ts";
export type { Severity } from "./source/diagnostic.ts";
export { listDiagnostics } from "./source/group-diagnostics.ts";
export { nearest as nearestName } from "./source/nearest.ts";
export { findProjectRoot } from "./source/file/project-root.ts";
export { exportTraces } from "./telemetry/export-traces.ts";
export { describeTelemetry } from "./telemetry/sdk/read-setup.ts";
export { killAllProcesses } from "./tool/process/launch-process.ts";
export {
  isProcessAlive,
  ownIdentity,
  type ProcessIdentity,
} from "./tool/control-file/process-identity.ts";
export { findWeakenedPromises, type WeakenedPromise } from "./tool/sandbox/weakened-promises.ts";
