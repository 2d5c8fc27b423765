import type { AgentCall, AgentUpdate, PlanEntry } from "../../acp-runner/agent-update.ts";
import { readUpdate } from "../../acp-runner/read-update.ts";
import type { ReplyPart } from "../../model/model.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { resolvePath } from "../../tool/path/path-confinement.ts";
import { RunFailed } from "../run-failed.ts";
import { type CallJournal, toolOf } from "./call-journal.ts";
import { titleOfCall } from "./call-title.ts";
import { readForRunner, writeForRunner } from "./files.ts";
import type { NotePermission } from "../tool-call/tool-step.ts";
import { refuseRunnerCall } from "./permission-request.ts";
import type { RunnerProcess, TurnListener } from "./runner-process.ts";

/** The output of a runner in one turn. */
export interface TurnOutput {
  /** The runner's text and calls, in order. */
  parts: ReplyPart[];
  /** Its current plan. */
  plan: readonly PlanEntry[];
  /** The session's cost so far, in US dollars; `null` = not reported. */
  usd: number | null;
  /** The last refused call, and the reason. */
  refused?: string;
  /** Whether its last message is an error message. */
  isBroken?: boolean;
}

/** The maximum text of a runner in one turn, in characters. */
const maxCharacters = 1024 * 1024;
/** The maximum number of requests in one turn. An agent that sends more does not accept a refusal. */
const maxQuestions = 2000;
/** The maximum number of refusals listed in the result. */
const maxRefusals = 10;

/** Options of {@link listenToTurn}. */
export interface ListenOptions {
  runnerProcess: RunnerProcess;
  journal: CallJournal;
  sessionId: string;
  /** The key of the step that records the turn. */
  step: string;
  /** The prefix of the step keys of questions to the user. */
  questions: string;
}

/** Listens to a runner in one turn, and answers its requests. */
export function listenToTurn(
  run: RunContext,
  { runnerProcess, journal, sessionId, step, questions }: ListenOptions,
): { listener: TurnListener; output: TurnOutput } {
  const output: TurnOutput = { parts: [], plan: [], usd: null };
  const readNext = createUpdateReader(run, { journal, step }, output);
  // A runner that asks before a change and then has Cadre make it is asked about once.
  const permitted = new Set<string>();
  let asked = 0;

  function nextQuestion(): string {
    asked += 1;
    if (asked > maxQuestions) throw tooMuch(run, `sent more than ${maxQuestions} requests`);
    return `${questions}${asked}`;
  }

  /** Ends the run for errors that must end it. The runner receives other errors, and stops. */
  async function orFail<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      runnerProcess.signal.throwIfAborted();
      return await work();
    } catch (error) {
      if (error instanceof RunFailed) runnerProcess.fail(error);
      throw error;
    }
  }

  const listener: TurnListener = {
    update(params) {
      try {
        readNext(readUpdate(params, sessionId));
      } catch (error) {
        runnerProcess.fail(error);
      }
    },
    checkPermission: async (call) =>
      await orFail(async () => {
        const whole: AgentCall = { ...journal.known(call.id), ...call };
        readNext({ type: "call", call: whole });
        const note: NotePermission = (permission) => journal.decided(call.id, permission);
        const reason = await refuseRunnerCall(run, nextQuestion(), { call: whole, note });
        if (reason === undefined) {
          for (const file of filesToEdit(whole, run.spec.workspace)) permitted.add(file);
          return true;
        }
        output.refused = `${titleOfCall(whole)}: ${reason}`;
        journal.refuse(call.id, reason, warnOfRefusal(run, output.refused));
        return false;
      }).catch((error: unknown) => {
        if (runnerProcess.signal.aborted) return undefined;
        throw error;
      }),
    readFile: async (path, lines) =>
      await orFail(async () => await readForRunner(run, nextQuestion(), { path, ...lines })),
    writeFile: async (path, content) =>
      await orFail(async () => {
        const isPermitted = (file: string): boolean => permitted.delete(file);
        const keys = { question: nextQuestion(), nextKey: journal.nextKey, isPermitted };
        await writeForRunner(run, keys, { path, content });
      }),
  };
  return { listener, output: output };
}

function filesToEdit({ kind, paths = [] }: AgentCall, workspace: string): string[] {
  return kind === "edit" ? paths.map((path) => resolvePath(path, workspace)) : [];
}

function createUpdateReader(
  run: RunContext,
  { journal, step }: Pick<ListenOptions, "journal" | "step">,
  output: TurnOutput,
): (update: AgentUpdate) => void {
  let message: string | null = null;
  let characters = 0;

  function addText(text: string, of: string | null): void {
    characters += text.length;
    if (characters > maxCharacters) {
      throw tooMuch(run, `wrote more than ${maxCharacters} characters`);
    }
    const last = output.parts.at(-1);
    const isSame = last?.type === "text" && of === message;
    const whole = isSame ? last.text + text : text;
    if (isSame) output.parts.pop();
    output.parts.push({ type: "text", text: whole });
    message = of;
    run.conclusion.text = whole;
    run.report({ type: "text", step, id: `${output.parts.length}`, text });
  }

  return (update) => {
    if (update.type === "text") addText(update.text, update.message);
    if (update.type === "cost") output.usd = update.usd;
    if (update.type === "health") output.isBroken = update.isBroken;
    if (update.type === "plan") {
      output.plan = update.entries;
      run.report({ type: "progress", text: describePlan(update.entries) });
    }
    if (update.type !== "call") return;
    const begun = journal.note(update.call);
    if (begun === undefined) return;
    const tool = toolOf(journal.known(update.call.id) ?? update.call);
    output.parts.push({ type: "tool-call", id: begun.key, tool, input: { title: begun.title } });
  };
}

function describePlan(entries: readonly PlanEntry[]): string {
  const done = entries.filter(({ status }) => status === "completed").length;
  const now = entries.find(({ status }) => status === "in_progress")?.content;
  return `plan: ${done} of ${entries.length} done${now === undefined ? "" : `, now ${now}`}`;
}

/** Returns the warning; `undefined` when the result already names enough refusals. */
function warnOfRefusal({ warnings }: RunContext, refused: string): string | undefined {
  const beginning = "The runner was not allowed to continue with";
  const refusals = [...warnings].filter((warning) => warning.startsWith(beginning));
  if (refusals.length >= maxRefusals) return undefined;
  const warning = `${beginning} ${refused}.`;
  warnings.add(warning);
  return warning;
}

function tooMuch({ spec }: RunContext, what: string): RunFailed {
  const message = `Agent ${spec.agent} was ended: its runner ${what} in one turn.`;
  return new RunFailed({ code: "limit-exceeded", message });
}
