/** The types in the signatures of `cadre` and of its other entry points that these do not name themselves. Types only. */
// Written by `npm run api`. A type that is missing in its module has no `export` there.
export type { CheckRequest } from "./agent/check.ts";
export type { AgentColor, PromptContent } from "./agent/definition/agent.ts";
export type { AgentFile } from "./agent/fields/common-fields.ts";
export type { CommonFormat, ReadFormat, UnplacedFile } from "./agent/format/agent-file-format.ts";
export type { AgentFolder } from "./agent/format/agent-folder.ts";
export type { ApiErrorDetails } from "./client/api-error.ts";
export type { CallOptions } from "./client/client.ts";
export type {
  ScheduleSetting,
  TriggerSetting,
  WebhookEvent,
  WebhookSetting,
} from "./config/automation-setting.ts";
export type {
  Config,
  EndpointConfig,
  LimitsConfig,
  PriceConfig,
  SandboxConfig,
} from "./config/config.ts";
export type { ExtensionSetting } from "./config/extension-setting.ts";
export type {
  GivenConfig,
  GivenHookCommand,
  GivenHooks,
  GivenSettings,
} from "./config/given-config.ts";
export type { UserEnvironment } from "./config/state-folder.ts";
export type { IgnoredSetting } from "./config/untrusted-layer.ts";
export type { SessionName } from "./delegate/family/session-name.ts";
export type { ContinueDelegation, StartField } from "./delegate/request/assign-continuation.ts";
export type {
  SubagentImage,
  SubagentInput,
  SubagentSettings,
} from "./delegate/request/subagent-input.ts";
export type { BoardTaskStatus } from "./delegate/team/board.ts";
export type { NameRun } from "./delegate/team/describe-board.ts";
export type { AgentToolInput } from "./delegate/tools/agent-tool.ts";
export type { SessionsCancelInput } from "./delegate/tools/sessions-cancel-tool.ts";
export type { SessionsListInput } from "./delegate/tools/sessions-list-tool.ts";
export type { SessionsSendInput } from "./delegate/tools/sessions-send-tool.ts";
export type { SessionsSpawnInput } from "./delegate/tools/sessions-spawn-tool.ts";
export type { SessionsWaitInput } from "./delegate/tools/sessions-wait-tool.ts";
export type { ResultSchema } from "./delegate/tools/tool-results.ts";
export type { MigrateQueueOptions } from "./engine/dispatch/dbos/migrate-queue.ts";
export type {
  Activity,
  DispatchParts,
  DispatchSetting,
  FilesSetting,
  SubmittedFiles,
} from "./engine/engine.ts";
export type {
  Decisions,
  HookContext,
  HookDecision,
  HookedAnswer,
  HookedCall,
  HookedDelegation,
  HookedOutcome,
  HookedReply,
  HookedRequest,
  HookedRun,
  MaybeDecided,
} from "./engine/hook/hooks.ts";
export type {
  AgentPattern,
  EvalCheck,
  EvalDefaults,
  EvalExpectation,
  EvalLimits,
  TextPattern,
} from "./eval/eval-file.ts";
export type { ConfusionMatrix, MixUp, TrialOutcome } from "./eval/eval-report.ts";
export type { MadeDelegation, TrialRecord } from "./eval/grade.ts";
export type { EvalReading } from "./eval/read-evals.ts";
export type { ElicitChoice } from "./extension/elicitation/elicit-field.ts";
export type { ElicitCaller } from "./extension/elicitation/elicitation.ts";
export type { ContextSettings, ContextSize } from "./model/context/context-size.ts";
export type { ModelObject } from "./model/model-object.ts";
export type { ReferenceNames, toReferenceNames } from "./model/model-reference.ts";
export type { Model, ModelReply, Price, ReplyPart, ReplyPiece, WebSource } from "./model/model.ts";
export type { RecordedModelOptions } from "./model/record/recorded-model.ts";
export type { CommandLine } from "./prompt-command/command-line.ts";
export type { ValueOptions } from "./recipe/parameter/parameter-values.ts";
export type { RecipeSettings, RecipeTemplate } from "./recipe/recipe.ts";
export type {
  ConversationFilter,
  ConversationTable,
  StoredConversation,
} from "./registry/conversation-table.ts";
export type { FileRecorder } from "./registry/file-recorder.ts";
export type { GroupCommitOptions } from "./registry/journal/group-commit.ts";
export type { Journal } from "./registry/journal/journal.ts";
export type { LiveRuns } from "./registry/journal/live-runs.ts";
export type { LeaderTable } from "./registry/leader-table.ts";
export type { LiveChannel } from "./registry/live-channel.ts";
export type { LeaseTimes, Owner } from "./registry/owner.ts";
export type { EventFilter } from "./registry/registry.ts";
export type {
  Refusal,
  SeenWorker,
  Submission,
  WorkFilter,
  WorkItem,
  WorkTable,
  WorkerRecord,
} from "./registry/work-table.ts";
export type {
  DelegatedImage,
  ProviderOptions,
  StopCondition,
  TaskCall,
  ToolChoiceSetting,
} from "./run/delegation.ts";
export type { CompactSize, RunEventType, StepKind } from "./run/event.ts";
export type {
  ExtensionBase,
  ExtensionConfig,
  ExtensionOrigin,
  HttpExtension,
  StdioExtension,
  StoredExtension,
} from "./run/extension-config.ts";
export type { ModelChange } from "./run/fallback/model-change.ts";
export type { RunFigures } from "./run/figures.ts";
export type { HookCommand, HookCommands, HookEvent, HookGroup } from "./run/hook/hook-commands.ts";
export type { Lineage } from "./run/lineage.ts";
export type { Message } from "./run/message.ts";
export type { OfferedParameter, OfferedRecipe } from "./run/offered-recipe.ts";
export type { OrderedRule, PermissionPolicy, PermissionRules } from "./run/permission.ts";
export type { Reserved } from "./run/reserved.ts";
export type { RecordedResult } from "./run/result.ts";
export type { RetryPolicy } from "./run/retry-policy.ts";
export type { StoredImage } from "./run/run.ts";
export type { NewBoardTask } from "./run/shared/board-change.ts";
export type { SharedContext } from "./run/shared/shared-context.ts";
export type { StepSpan, StepSpanKind } from "./run/timeline/steps.ts";
export type { ArtifactContent, RunArtifact } from "./runtime/artifact/artifact.ts";
export type { ResumeOptions } from "./runtime/cadre.ts";
export type { ConversationListOptions } from "./runtime/conversation.ts";
export type { EvalStart, Recordings } from "./runtime/eval/eval-record.ts";
export type { FileField } from "./runtime/library-agent.ts";
export type {
  JsonTool,
  OutputOf,
  OwnToolAccess,
  OwnToolFields,
  OwnToolSet,
  OwnTools,
  SdkTool,
  StandardSchema,
  TypedTool,
} from "./runtime/own-tool.ts";
export type { RuleLocation } from "./runtime/permission/allow-rule.ts";
export type {
  CommandListOptions,
  ProjectCommandList,
  ProjectCommands,
} from "./runtime/project-commands.ts";
export type { DiscardedRun, GoneChanges } from "./runtime/run-changes.ts";
export type {
  ResultOptions,
  RunEventsOptions,
  RunStreamOptions,
  WaitOptions,
} from "./runtime/run-handle.ts";
export type { FoundRun, FoundRuns, RunSearch, SaidKind } from "./runtime/run-search.ts";
export type { AgentSpawnOptions } from "./runtime/spawn-options.ts";
export type { MigratedRegistry } from "./runtime/state/migrate-registry.ts";
export type { DataChunk } from "./runtime/stream/ui-message-chunk.ts";
export type { OfferedSessionTools } from "./runtime/tools/offer-session-tools.ts";
export type { ProjectFolders } from "./source/file/project-root.ts";
export type { KeyPath, Position, PositionFinder } from "./source/position.ts";
export type { TelemetryVariables } from "./telemetry/sdk/read-setup.ts";
export type { TraceExportOptions } from "./telemetry/trace-export-options.ts";
export type { FaultTimes } from "./testing/faults.ts";
export type { MatcherContext, MatcherFunctions, MatcherOutcome } from "./testing/matchers.ts";
export type { DescribedTodos } from "./tool/builtin/todo-list.ts";
export type { MergeConflict, MergeStrategy } from "./tool/git/plan-merge.ts";
export type { ChangedFile, LeftContent } from "./tool/git/read-changes.ts";
export type { PermissionCall } from "./tool/permission/permission-call.ts";
export type { ToolAccess, ToolOutcome, TouchedFile } from "./tool/tool.ts";
export type { ReadOpenText } from "./tool/unsaved/unsaved-text.ts";
export type { TraceContext } from "./trace-context.ts";
