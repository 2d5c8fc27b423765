import { createUnreadMessages, type UnreadMessages } from "./unread-messages.ts";
import { requestTurn, type TurnPlan, type TurnSettings } from "./request-turn.ts";
import type { Cadre, FilledCommand, RunHandle, RunResult, RunStreamPart } from "../../../host.ts";

/** Listens to a conversation. */
export interface ChatListener {
  /** The user sent a text, and a turn is about to begin with it. */
  userMessage(text: string): void;
  /** Another process added turns, up to `latest`, to the conversation after the turn `known`. */
  missed(latest: RunHandle, known: RunHandle): Promise<void>;
  /** The text was refused: no turn begins with it. */
  refused(text: string): void;
  /** A turn began. */
  begun(run: RunHandle): void;
  /** The turn produced output. */
  part(part: RunStreamPart): void;
  ended(result: RunResult): void;
  /** A turn could not begin, or could not be followed. */
  failed(error: unknown): void;
  /** The list of messages that the agent has not read yet changed. */
  waiting(texts: readonly string[]): void;
}

/** A conversation with an agent: each turn is one run. */
export interface ChatConversation {
  /** The turn in progress. */
  readonly active: RunHandle | undefined;
  /** The latest turn. */
  readonly last: RunHandle | undefined;
  readonly settings: TurnSettings;
  /** Whether a turn is active or about to begin. */
  readonly isBusy: boolean;
  /** Begins a turn with the text. During a turn, sends the text to the agent, which reads it before its next request. */
  send(text: string): Promise<void>;
  /** Begins a turn with a project command that the user typed as `text`. Its agent and model apply to this turn only. */
  execute(command: FilledCommand, text: string): Promise<void>;
  /** Cancels the active turn; the conversation keeps its texts. Unread messages begin the next turn. */
  interrupt(): Promise<void>;
  /** Continues another conversation with `run` as its latest turn. Resumes an unfinished turn. */
  open(run: RunHandle): Promise<void>;
  /** Begins a new conversation with the next text. */
  clear(): void;
}

/** Creates a conversation that begins with the next text. */
export function createChatConversation(cadre: Cadre, listener: ChatListener): ChatConversation {
  const settings: TurnSettings = {};
  const unread = createUnreadMessages(listener.waiting);
  let active: RunHandle | undefined;
  let last: RunHandle | undefined;
  let isBusy = false;

  async function begin(text: string, command?: FilledCommand): Promise<void> {
    last = last && (await catchUp(cadre, listener, last));
    await follow(await request(cadre, listener, { text, command, settings, last }));
  }

  /** Follows a turn to its end. */
  async function follow(run: RunHandle): Promise<void> {
    [active, last] = [run, run];
    listener.begun(run);
    const result = await readTurn(run, { listener, unread }).finally(() => (active = undefined));
    listener.ended(result);
  }

  /** Executes a turn, and then further turns for the messages that the agent did not read before the end. */
  async function work(turn: () => Promise<void>): Promise<void> {
    isBusy = true;
    let next: (() => Promise<void>) | undefined = turn;
    while (next !== undefined) {
      await next().catch(listener.failed);
      const left = unread.take();
      next = left === undefined ? undefined : async () => await begin(left);
    }
    isBusy = false;
  }

  return {
    settings,
    get active() {
      return active;
    },
    get last() {
      return last;
    },
    get isBusy() {
      return isBusy;
    },
    async execute(command, text) {
      await work(async () => await begin(text, command));
    },
    async send(text) {
      if (isBusy) unread.add(await active?.send(text), text);
      else await work(async () => await begin(text));
    },
    async interrupt() {
      unread.keep();
      await active?.cancel("interrupted by the user");
    },
    async open(run) {
      last = run;
      const { result, rootId } = await run.state();
      if (result !== null) return;
      await cadre.resume(rootId);
      await work(async () => await follow(run));
    },
    clear() {
      last = undefined;
    },
  };
}

/** Returns the latest turn that has ended. Another terminal may have added it. */
async function catchUp(
  cadre: Cadre,
  listener: Pick<ChatListener, "missed">,
  known: RunHandle,
): Promise<RunHandle> {
  const [conversation] = await cadre.conversations({ run: known.id });
  const { lastRunId = known.id } = conversation ?? {};
  if (lastRunId === known.id) return known;
  const latest = await cadre.find(lastRunId);
  // When the next turn is refused, the error says that another turn is active.
  if ((await latest.state()).result === null) return known;
  await listener.missed(latest, known);
  return latest;
}

/** Requests a turn. Gives the text back when the turn is refused. */
async function request(
  cadre: Cadre,
  listener: Pick<ChatListener, "userMessage" | "refused">,
  plan: TurnPlan,
): Promise<RunHandle> {
  listener.userMessage(plan.text);
  try {
    return await requestTurn(cadre, plan);
  } catch (error) {
    listener.refused(plan.text);
    throw error;
  }
}

async function readTurn(
  run: RunHandle,
  { listener, unread }: { listener: ChatListener; unread: UnreadMessages },
): Promise<RunResult> {
  for await (const part of run.stream()) {
    // A kept message is shown with the turn that begins with it.
    if (part.type === "message" && !unread.read(part.id)) continue;
    if (part.runId === run.id) listener.part(part);
  }
  return await run.result();
}
