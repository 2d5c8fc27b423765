/** Functions, and the types that programs name most, for programs that run agents. */
// This import comes first: it throws if Node is too old for the others.
export { minimumNode } from "./require-node.ts";
export type { AgentDefinition } from "./agent/definition/agent.ts";
export {
  defineAgent,
  type ProgramAgent,
  type ProgramAnswer,
  type ProgramQuestion,
  type ProgramStepOptions,
  type ProgramContext,
  type ProgramInput,
  type ProgramOutput,
} from "./agent/program/program.ts";
export { listAipInputs } from "./runtime/aip/aip-inputs.ts";
export type { CustomAgentFormat } from "./agent/format/custom-format.ts";
export type { ModelProvider } from "./model/provider/given-provider.ts";
export type { Registry } from "./registry/registry.ts";
export type { Budget } from "./run/budget.ts";
export type { Delegation } from "./run/delegation.ts";
export type { Ask } from "./engine/run-context/approvals.ts";
export type { Hooks } from "./engine/hook/hooks.ts";
export type { CreateEngine, Engine, RunActivity } from "./engine/engine.ts";
export { readElicitFields } from "./extension/elicitation/elicit-field.ts";
export type { ElicitAnswer, ElicitRequest, OnElicit } from "./extension/elicitation/elicitation.ts";
export type { Clock } from "./clock.ts";
export { CadreError, type CadreErrorCode } from "./errors.ts";
export type { AskParameter, RecipeParameterProblem } from "./recipe/parameter/parameter-values.ts";
export type { SubAgentInput, SubAgentOutput } from "./pipeline/sub-agent/contract.ts";
export { listFiles } from "./pipeline/files/list-files.ts";
export type { RunEvent } from "./run/event.ts";
export type { Failure, FailureCode } from "./run/failure.ts";
export type { ApprovalAnswer, ApprovalRequest, PermissionMode } from "./run/permission.ts";
export type { RunResult } from "./run/result.ts";
export type { Figures } from "./run/figures.ts";
export { isTerminal, type Run, type RunStatus } from "./run/run.ts";
export type { RunOverview } from "./run/run-overview.ts";
export type { Usage } from "./run/usage.ts";
export { defineTool, type OwnTool, type OwnToolContext } from "./runtime/own-tool.ts";
export type { AgentHandle } from "./runtime/agent-handle.ts";
export type { Cadre, CadreOptions } from "./runtime/cadre.ts";
export type { LibraryAgent, PromptAgent } from "./runtime/library-agent.ts";
export type { Conversation } from "./runtime/conversation.ts";
export type { ContinueOptions, OutputSchema, SpawnOptions } from "./runtime/spawn-options.ts";
export type { RunChanges } from "./runtime/run-changes.ts";
export type { RunHandle } from "./runtime/run-handle.ts";
export type { RunStreamPart } from "./runtime/stream/stream-part.ts";
export type {
  UIMessageChunk,
  UIMessageData,
  UIMessageMetadata,
} from "./runtime/stream/ui-message-chunk.ts";
export { createCadre } from "./runtime/create/create-cadre.ts";
export type { DelegateOutcome, DelegateTool } from "./runtime/tools/delegate-tool.ts";
export type { DelegateTools } from "./runtime/tools/delegate-tools.ts";
export type { JsonObject, JsonValue } from "./source/json.ts";
export { type Diagnostic, formatDiagnostic, hasError } from "./source/diagnostic.ts";
