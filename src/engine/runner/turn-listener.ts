import type { AgentCall, AgentUpdate, PlanEntry } from "../../acp-runner/agent-update.ts";
import { readUpdate } from "../../acp-runner/read-update.ts";
import type { ReplyPart } from "../../model/model.ts";
import type { Session } from "../session.ts";
import { resolvePath } from "../../tool/path-confinement.ts";
import { RunFailed } from "../to-failure.ts";
import type { CallJournal } from "./call-journal.ts";
import { titleOfCall } from "./call-title.ts";
import { readForRunner, writeForRunner } from "./files.ts";
import { refuseRunnerCall } from "./permission-request.ts";
import type { Seat, TurnListener } from "./seat.ts";

/** What was heard of a runner in one turn. */
export interface Heard {
  /** What it said and called, in order. */
  parts: ReplyPart[];
  /** Its plan as it is now. */
  plan: readonly PlanEntry[];
  /** What its session cost so far, in US dollars; `null` = it did not say. */
  usd: number | null;
  /** The last call that it was not allowed to go on with, and why. */
  refused?: string;
  /** What it said last is an error of its own. */
  isBroken?: boolean;
}

/** The characters that are taken of what a runner says in one turn. */
const mostCharacters = 1024 * 1024;
/** The questions of one turn; more are a sign of an agent that does not take no for an answer. */
const mostQuestions = 2000;
/** The refusals that the result tells about by themselves. */
const mostRefusals = 10;

/** What {@link listenToTurn} needs. */
export interface ListenOptions {
  seat: Seat;
  journal: CallJournal;
  sessionId: string;
  /** What the keys of questions to the user begin with. */
  questions: string;
}

/** Hears a runner in one turn, and does for it what it may ask for. */
export function listenToTurn(
  session: Session,
  { seat, journal, sessionId, questions }: ListenOptions,
): { listener: TurnListener; heard: Heard } {
  const heard: Heard = { parts: [], plan: [], usd: null };
  const hear = createHearing(session, journal, heard);
  // Who asks whether it may change a file, and then has Cadre do it, asks once.
  const permitted = new Set<string>();
  let asked = 0;

  function nextQuestion(): string {
    asked += 1;
    if (asked > mostQuestions)
      throw tooMuch(session, `asked for more than ${mostQuestions} things`);
    return `${questions}${asked}`;
  }

  /** What ends the run ends it, whoever listens; the runner hears of other problems, and that it is to stop. */
  async function orFail<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      seat.signal.throwIfAborted();
      return await work();
    } catch (error) {
      if (error instanceof RunFailed) seat.fail(error);
      throw error;
    }
  }

  const listener: TurnListener = {
    update(params) {
      try {
        hear(readUpdate(params, sessionId));
      } catch (error) {
        seat.fail(error);
      }
    },
    permit: async (call) =>
      await orFail(async () => {
        const whole: AgentCall = { ...journal.known(call.id), ...call };
        hear({ type: "call", call: whole });
        const reason = await refuseRunnerCall(session, nextQuestion(), whole);
        if (reason === undefined) {
          for (const file of filesToEdit(whole, session.spec.workspace)) permitted.add(file);
          return true;
        }
        journal.refuse(call.id, reason);
        heard.refused = `${titleOfCall(whole)}: ${reason}`;
        warnOfRefusal(session, heard.refused);
        return false;
      }).catch((error: unknown) => {
        if (seat.signal.aborted) return undefined;
        throw error;
      }),
    readFile: async (path, lines) =>
      await orFail(async () => await readForRunner(session, nextQuestion(), { path, ...lines })),
    writeFile: async (path, content) =>
      await orFail(async () => {
        const isPermitted = (file: string): boolean => permitted.delete(file);
        const keys = { question: nextQuestion(), nextKey: journal.nextKey, isPermitted };
        await writeForRunner(session, keys, { path, content });
      }),
  };
  return { listener, heard };
}

function filesToEdit({ kind, paths = [] }: AgentCall, workspace: string): string[] {
  return kind === "edit" ? paths.map((path) => resolvePath(path, workspace)) : [];
}

function createHearing(
  session: Session,
  journal: CallJournal,
  heard: Heard,
): (update: AgentUpdate) => void {
  let message: string | null = null;
  let characters = 0;

  function say(text: string, of: string | null): void {
    characters += text.length;
    if (characters > mostCharacters) {
      throw tooMuch(session, `said more than ${mostCharacters} characters`);
    }
    const last = heard.parts.at(-1);
    const isSame = last?.type === "text" && of === message;
    const whole = isSame ? last.text + text : text;
    if (isSame) heard.parts.pop();
    heard.parts.push({ type: "text", text: whole });
    message = of;
    session.said.text = whole;
    session.report("text", text);
  }

  return (update) => {
    if (update.type === "text") say(update.text, update.message);
    if (update.type === "cost") heard.usd = update.usd;
    if (update.type === "health") heard.isBroken = update.isBroken;
    if (update.type === "plan") {
      heard.plan = update.entries;
      session.report("progress", describePlan(update.entries));
    }
    if (update.type !== "call") return;
    const begun = journal.hear(update.call);
    if (begun === undefined) return;
    const { name, kind = "tool" } = journal.known(update.call.id) ?? update.call;
    const input = { title: begun.title };
    heard.parts.push({ type: "tool-call", id: begun.key, tool: name ?? kind, input });
  };
}

function describePlan(entries: readonly PlanEntry[]): string {
  const done = entries.filter(({ status }) => status === "completed").length;
  const now = entries.find(({ status }) => status === "in_progress")?.content;
  return `plan: ${done} of ${entries.length} done${now === undefined ? "" : `, now ${now}`}`;
}

function warnOfRefusal({ warnings }: Session, refused: string): void {
  const beginning = "The runner was not allowed to go on with";
  const refusals = [...warnings].filter((warning) => warning.startsWith(beginning));
  if (refusals.length < mostRefusals) warnings.add(`${beginning} ${refused}.`);
}

function tooMuch({ spec }: Session, what: string): RunFailed {
  const message = `Agent ${spec.agent} was ended: its runner ${what} in one turn.`;
  return new RunFailed({ code: "limit-exceeded", message });
}
