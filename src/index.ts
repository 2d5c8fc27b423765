export type { AgentDefinition, AgentFormat, AgentScope, AgentSource } from "./agent/agent.ts";
export type { Discovery } from "./agent/discover.ts";
export {
  defineAgent,
  type ProgramAgent,
  type ProgramContext,
  type ProgramInput,
  type ProgramOutput,
} from "./agent/program.ts";
export type { Delegation } from "./delegate/delegation.ts";
export { CadreError, type CadreErrorCode } from "./errors.ts";
export type { RunEvent, RunEventBody } from "./run/event.ts";
export type { Failure, FailureCode } from "./run/failure.ts";
export type { ApprovalAnswer, ApprovalRequest, PermissionMode } from "./run/permission.ts";
export type { RunResult, TerminalStatus } from "./run/result.ts";
export type { Run, RunStatus } from "./run/run.ts";
export type { Usage } from "./run/usage.ts";
export type { Cadre, CadreOptions, LibraryAgent, RunHandle } from "./runtime/cadre.ts";
export { createCadre } from "./runtime/create-cadre.ts";
export type { Diagnostic, Severity } from "./source/diagnostic.ts";
