import { createQuestionPanel, type QuestionPanel } from "./question-panel.ts";
import { type ChildView, showChild } from "./child-view.ts";
import type { Theme } from "./theme.ts";
import { createTranscript, type Transcript } from "./transcript.ts";
import { createTreePanel, type TreePanel } from "./tree-panel.ts";
import type { ChatWindow } from "./window.ts";
import type { Conversation, ConversationListener } from "../conversation.ts";
import { describeError } from "../../error/report-error.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import type { Style } from "../../terminal/paint.ts";
import { describeFigures } from "../../view/summary.ts";
import { findConversation } from "../../run/continue-run.ts";
import { shortRunId } from "../../../short-run-id.ts";
import type { Cadre, RunHandle, RunOverview, TerminalStatus } from "../../../host.ts";

/** The parts of the screen, and what they show of a conversation. */
export interface ChatScreen {
  readonly questions: QuestionPanel;
  readonly tree: TreePanel;
  /** Hears of the conversation. */
  readonly listener: ConversationListener;
  /** How the last turn ended. */
  readonly lastStatus: TerminalStatus | undefined;
  /** Connects the screen with what it shows. */
  begin(cadre: Cadre, conversation: Conversation): void;
  note(text: string, style?: Style): void;
  /** Says something to the agent whose conversation is shown. */
  say(text: string): Promise<void>;
  /** Shows the conversation of a run, and goes on with it; the empty text: the latest. */
  resume(run: string): Promise<void>;
  clear(): void;
  /** Leaves the conversation of a sub-agent. `false`: none is shown. */
  goBack(): boolean;
  /** Opens or closes tool calls and thoughts. */
  toggle(): void;
  /** Returns the root of a run's family. */
  rootOf(runId: string): string;
}

/** Options of {@link createChatScreen}. */
export interface ChatScreenOptions {
  window: ChatWindow;
  theme: Theme;
  /** Interrupts the turn. */
  onInterrupt: () => void;
}

/** A turn that took longer, in milliseconds, rings the terminal's bell at its end. */
const longMs = 10_000;
/** How many earlier turns are shown of a conversation that goes on. */
const mostTurns = 20;

/** Creates the parts of the screen, which show nothing yet. */
export function createChatScreen({ window, theme, onInterrupt }: ChatScreenOptions): ChatScreen {
  const { tui, editor } = window;
  const { paint } = theme;
  const roots = new Map<string, string>();
  let transcript: Transcript = createTranscript(theme);
  let child: ChildView | undefined;
  let parts: { cadre: Cadre; conversation: Conversation } | undefined;
  let waiting: readonly string[] = [];
  let beganAt = 0;
  let ticking: NodeJS.Timeout | undefined;
  let lastStatus: TerminalStatus | undefined;

  const focusInput = (): void => {
    tui.setFocus(editor);
    tui.requestRender();
  };
  const ring = (): void => tui.terminal.write("\u0007");
  const questions = createQuestionPanel({
    tui,
    lastKeyAt: window.lastKeyAt,
    onDone: focusInput,
    onAsk: ring,
    onInterrupt,
  });
  const tree = createTreePanel(tui, paint, {
    open: (run) => void show(run).catch(fail),
    cancel: (run) => void act(async (cadre) => await (await cadre.find(run.id)).cancel()),
    retry: (run) => void act(async (cadre) => await cadre.retry(run.id)),
    leave: focusInput,
  });
  window.add(questions.component);
  window.add(tree.component);
  window.show(transcript.component);
  tellState();

  function note(text: string, style?: Style): void {
    transcript.note(text, style);
    window.touch();
  }

  function fail(error: unknown): void {
    note(describeError(error).message, "red");
  }

  async function act(work: (cadre: Cadre) => Promise<unknown>): Promise<void> {
    if (parts !== undefined) await work(parts.cadre).catch(fail);
    window.touch();
  }

  /** Shows the conversation of a run of the tree. */
  async function show(run: RunOverview): Promise<void> {
    goBack();
    if (parts === undefined || run.id === parts.conversation.last?.id) return;
    const handle = await parts.cadre.find(run.id);
    child = showChild({ run, handle }, { window, theme }, fail);
  }

  function goBack(): boolean {
    if (child === undefined) return false;
    child.close();
    child = undefined;
    window.show(transcript.component);
    return true;
  }

  /** Writes what waits above the input, and the state below it. */
  function tellState(): void {
    const above = waiting.map((text) => paint("dim", `will be read: ${cleanLine(text)}`));
    window.setNotes(above.join("\n"), paint("dim", describeState()));
  }

  function describeState(): string {
    if (parts === undefined) return "opening …";
    const { conversation } = parts;
    const agent = conversation.settings.agent ?? "main";
    if (conversation.active === undefined) return `${agent} · /help`;
    const seconds = Math.round((performance.now() - beganAt) / 1000);
    return `working ${seconds} s · Esc interrupts · Enter sends a message · Ctrl-T selects an agent`;
  }

  const listener: ConversationListener = {
    begun(run, task) {
      beganAt = performance.now();
      tree.family.clear();
      roots.clear();
      if (task !== undefined) transcript.said(task);
      clearInterval(ticking);
      ticking = setInterval(() => {
        tellState();
        window.touch();
      }, 1000);
      void act(async (cadre) => tree.family.take(await cadre.tree(run.id)));
    },
    part(part) {
      const isOwn = part.runId === parts?.conversation.last?.id;
      if (isOwn) transcript.take(part);
      window.touch();
    },
    ended(result) {
      lastStatus = result.status;
      clearInterval(ticking);
      transcript.ended(result);
      for (const warning of result.warnings) transcript.note(`warning: ${warning}`, "yellow");
      transcript.note(`${describeFigures(result)} · run ${shortRunId(result.runId)}`);
      if (performance.now() - beganAt > longMs) ring();
      tellState();
      window.touch();
    },
    failed(error) {
      clearInterval(ticking);
      fail(error);
      tellState();
    },
    waiting(texts) {
      waiting = texts;
      tellState();
    },
  };

  return {
    questions,
    tree,
    listener,
    note,
    goBack,
    get lastStatus() {
      return lastStatus;
    },
    rootOf: (runId) => roots.get(runId) ?? runId,
    begin(cadre, conversation) {
      parts = { cadre, conversation };
      cadre.onEvent((event, run) => {
        roots.set(run.id, run.rootId);
        tree.family.event(event, run);
        window.touch();
      });
      void act(async () => tree.family.colorAgents((await cadre.agents()).agents));
      note(`${process.cwd()} · /help lists the commands and keys`);
      tellState();
    },
    async say(text) {
      if (child === undefined) await parts?.conversation.say(text);
      else await child.say(text);
    },
    async resume(named) {
      if (parts === undefined) return;
      const run = await findConversation(parts.cadre, named);
      goBack();
      transcript = createTranscript(theme);
      await showEarlierTurns(parts.cadre, run, transcript);
      window.show(transcript.component);
      void parts.conversation.open(run).catch(fail);
    },
    clear() {
      goBack();
      transcript = createTranscript(theme);
      window.show(transcript.component);
    },
    toggle() {
      (child ?? transcript).toggle();
      tui.requestRender();
    },
  };
}

/** Shows the turns up to `run` as they were recorded, without one that goes on. */
async function showEarlierTurns(
  cadre: Cadre,
  run: RunHandle,
  transcript: Transcript,
): Promise<void> {
  const turns: RunHandle[] = [];
  let next: RunHandle | undefined = run;
  while (next !== undefined && turns.length < mostTurns) {
    turns.unshift(next);
    const { continues }: RunOverview = await next.state();
    next = continues === undefined ? undefined : await cadre.find(continues);
  }
  if (next !== undefined) transcript.note(`Earlier turns: cadre show ${shortRunId(next.id)}`);
  for (const turn of turns) {
    const { task, result } = await turn.state();
    transcript.said(task);
    if (result === null) continue;
    for (const part of await turn.transcript()) transcript.take(part);
    transcript.ended(result);
  }
}
