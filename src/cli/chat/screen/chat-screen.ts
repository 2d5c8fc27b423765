// The conversation on the whole terminal: transcript, panels, keys and highlighted code.

import { createQuestionPanel, type QuestionPanel } from "./question-panel.ts";
import { type ConversationViews, createConversationViews } from "./conversation-views.ts";
import { showEarlierTurns } from "./earlier-turns.ts";
import { notificationOf } from "./notification.ts";
import { readCost } from "./read-cost.ts";
import { createStateLine, type StateLine } from "./state-line.ts";
import type { Theme } from "./theme.ts";
import { createTreePanel, type TreeActions, type TreePanel } from "./tree-panel.ts";
import type { ChatWindow } from "./window.ts";
import type { ChatConversation, ChatListener } from "../dialog/chat-conversation.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import { noteUnmerged } from "../../view/changes/unmerged-runs.ts";
import { describeFigures } from "../../view/summary.ts";
import { shortRunId } from "../../../short-run-id.ts";
import type { Cadre, RunHandle, RunOverview, TerminalStatus } from "../../../host.ts";

/** The parts of the screen and the conversation that they show. */
export interface ChatScreen {
  readonly questions: QuestionPanel;
  readonly tree: TreePanel;
  readonly views: ConversationViews;
  readonly state: StateLine;
  /** Receives the events of the conversation. */
  readonly listener: ChatListener;
  /** Connects the screen to Cadre and a conversation. */
  begin(cadre: Cadre, conversation: ChatConversation): void;
  /** Returns the root of a run's family. */
  rootOf(runId: string): string;
  /** How the last turn ended. */
  lastStatus(): TerminalStatus | undefined;
}

/** Options of {@link createChatScreen}. */
export interface ChatScreenOptions {
  window: ChatWindow;
  theme: Theme;
  /** Called when the user interrupts the turn. */
  onInterrupt: () => void;
}

/** The delay before the tree shows a change, in milliseconds. It grows with the number of runs, because many agents change often. */
const treeMs = { least: 100, ofRun: 4, most: 500 } as const;
/** The duration above which the end of a turn notifies the user, in milliseconds. */
const longMs = 10_000;

/** Creates the parts of the screen, empty. */
export function createChatScreen({ window, theme, onInterrupt }: ChatScreenOptions): ChatScreen {
  const { tui } = window;
  const roots = new Map<string, string>();
  let parts: { cadre: Cadre; conversation: ChatConversation } | undefined;
  let lastStatus: TerminalStatus | undefined;
  const views = createConversationViews(window, theme);
  const state = createStateLine(window, theme.paint);
  const onDone = window.focusInput;
  const notify = createNotify(tui.terminal, () => parts?.cadre);
  const onAsk = (): void => notify("waits for your answer");
  const { lastKeyAt, replaceInput: focus } = window;
  let questionCount = 0;
  const onCount = (count: number): void => {
    questionCount = count;
    state.setQuestions(count);
  };
  const asking = { tui, focus, lastKeyAt, onDone, onAsk, onInterrupt, onCount };
  const questions = createQuestionPanel(asking);
  const act = (work: (cadre: Cadre) => Promise<unknown>): void => {
    if (parts === undefined) return;
    void work(parts.cadre)
      .catch(views.fail)
      .then(() => window.touch());
  };
  const isCrowded = (): boolean => questionCount > 0;
  const actions = createActions({ window, views, act, conversation: () => parts?.conversation });
  const tree = createTreePanel({ tui, paint: theme.paint, isCrowded, actions });
  for (const { component } of [questions, tree]) window.add(component);
  const listener = createListener({ window, views, state, tree, notify });
  return {
    questions,
    tree,
    views,
    state,
    listener: {
      ...listener,
      missed: async (run, known) => await showMissed(parts?.cadre, { run, known }, views),
      begun(run) {
        roots.clear();
        listener.begun(run);
        act(async (cadre) => tree.family.take(await cadre.tree(run.id)));
      },
      ended(result) {
        lastStatus = result.status;
        listener.ended(result);
        act(async (cadre) => await showTurnEnd(cadre, result.runId, { views, state }));
      },
    },
    begin(cadre, conversation) {
      parts = { cadre, conversation };
      watchRuns(cadre, { window, tree, roots });
      state.setFacts({ mode: `mode ${cadre.configuration.config.permissions.mode}`, cost: "" });
      act(async () => tree.family.colorAgents((await cadre.agents()).agents));
      views.note(`${process.cwd()} · /help lists the commands and keys`);
    },
    rootOf: (runId) => roots.get(runId) ?? runId,
    lastStatus: () => lastStatus,
  };
}

/** Shows whether sub-agents of a turn left changes, and the cost of the conversation. */
async function showTurnEnd(
  cadre: Cadre,
  runId: string,
  { views, state }: Pick<ChatScreen, "views" | "state">,
): Promise<void> {
  const unmerged = await noteUnmerged(cadre, [runId]);
  if (unmerged !== undefined) views.note(unmerged, "yellow");
  state.setFacts({ cost: await readCost(cadre, runId) });
}

/** Shows turns that another terminal added. */
async function showMissed(
  cadre: Cadre | undefined,
  turns: { run: RunHandle; known: RunHandle },
  views: ConversationViews,
): Promise<void> {
  if (cadre === undefined) return;
  views.note("Turns from another terminal:");
  await showEarlierTurns(cadre, turns, views.main());
}

/** Returns the function that notifies the user as the configuration says. */
function createNotify(
  terminal: Pick<ChatWindow["tui"]["terminal"], "write">,
  cadre: () => Cadre | undefined,
): (text: string) => void {
  return (text) => {
    const setting = cadre()?.configuration.config.notifications ?? "bell";
    terminal.write(notificationOf(text, setting, process.env));
  };
}

/** Shows the progress of the runs in the tree. */
function watchRuns(
  cadre: Cadre,
  { window, tree, roots }: { window: ChatWindow; tree: TreePanel; roots: Map<string, string> },
): void {
  const touch = (): void =>
    window.touch(Math.min(treeMs.most, treeMs.least + roots.size * treeMs.ofRun));
  cadre.onEvent((event, run) => {
    roots.set(run.id, run.rootId);
    tree.family.event(event, run);
    touch();
  });
  cadre.onActivity((activity) => {
    tree.family.activity(activity);
    touch();
  });
}

interface ActionsOptions {
  window: ChatWindow;
  views: ConversationViews;
  /** Executes work that may fail, and shows its failure. */
  act: (work: (cadre: Cadre) => Promise<unknown>) => void;
  conversation: () => ChatConversation | undefined;
}

function createActions({ window, views, act, conversation }: ActionsOptions): TreeActions {
  /** Reports whether a run is the turn itself. */
  const isMain = (run: RunOverview): boolean => run.id === conversation()?.last?.id;
  return {
    open(run) {
      if (isMain(run)) views.goBack();
      else act(async (cadre) => await views.open(cadre, run));
    },
    cancel: (run) => act(async (cadre) => await (await cadre.find(run.id)).cancel()),
    retry: (run) =>
      act(async (cadre) => {
        const again = await cadre.retry(run.id);
        if (isMain(run)) return await conversation()?.open(again);
        views.note(await describeRetry(again, run));
      }),
    raise: ({ id }) => window.editor.setText(`/raise ${shortRunId(id)} timeout=300`),
    leave: window.focusInput,
  };
}

/** Says where the result of a retry goes. */
async function describeRetry(again: RunHandle, { agent }: RunOverview): Promise<string> {
  const { parentId } = await again.state();
  const notice = `${cleanLine(agent)} is retried as run ${shortRunId(again.id)}`;
  if (parentId !== null) return `${notice}, whose result goes to its parent.`;
  return `${notice}. Its parent has ended and does not get the result.`;
}

interface ListenerOptions extends Pick<ChatScreen, "views" | "state" | "tree"> {
  window: ChatWindow;
  /** Notifies the user; `text` completes a sentence that begins with "Cadre". */
  notify: (text: string) => void;
}

function createListener({
  window,
  views,
  state,
  tree,
  notify,
}: ListenerOptions): Omit<ChatListener, "missed"> {
  let takeBack = (): void => undefined;
  return {
    userMessage(text) {
      takeBack = views.main().userMessage(text);
      state.began();
    },
    begun() {
      state.began();
      tree.family.clear();
    },
    part(part) {
      views.main().take(part);
      window.touch();
    },
    ended(result) {
      const main = views.main();
      main.ended(result);
      for (const warning of result.warnings) main.note(`warning: ${warning}`, "yellow");
      main.note(`${describeFigures(result)} · run ${shortRunId(result.runId)}`);
      if (state.ended() > longMs) notify(`has ended a turn: ${result.status}`);
    },
    refused(text) {
      // The user can send it again. If the user has typed another text since then, both stay.
      if (window.editor.getText() !== "") return;
      window.editor.setText(text);
      takeBack();
    },
    failed(error) {
      state.ended();
      views.fail(error);
    },
    waiting: state.setWaiting,
  };
}
