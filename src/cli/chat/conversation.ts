import { mentionedImages } from "./mentioned-images.ts";
import type { Cadre, RunHandle, RunResult, RunStreamPart, SpawnOptions } from "../../host.ts";

/** What the user set for the next turns. Absent = as before, or as configured. */
export interface TurnSettings {
  agent?: string;
  model?: string;
  mode?: NonNullable<SpawnOptions["mode"]>;
}

/** Hears of a conversation. */
export interface ConversationListener {
  /** A turn began; `task` is absent for a turn that is taken up again. */
  begun(run: RunHandle, task?: string): void;
  /** Output of the turn. */
  part(part: RunStreamPart): void;
  ended(result: RunResult): void;
  /** A turn could not begin, or could not be followed. */
  failed(error: unknown): void;
  /** The messages that the agent has not read yet have changed. */
  waiting(texts: readonly string[]): void;
}

/** A conversation with an agent: one run a turn. */
export interface Conversation {
  /** The turn in progress. */
  readonly active: RunHandle | undefined;
  /** The latest turn. */
  readonly last: RunHandle | undefined;
  readonly settings: TurnSettings;
  /** Begins a turn with the text; during a turn, sends it to the agent, which reads it before its next request. */
  say(text: string): Promise<void>;
  /** Cancels the turn in progress; what was said stays. */
  interrupt(): Promise<void>;
  /** Goes on with another conversation, of which this is the latest turn. A turn that was cut off is taken up again. */
  open(run: RunHandle): Promise<void>;
  /** Begins a new conversation with the next text. */
  clear(): void;
}

/** Creates a conversation that begins with the next text. */
export function createConversation(cadre: Cadre, listener: ConversationListener): Conversation {
  const settings: TurnSettings = {};
  /** Texts that were sent during the turn and not read yet, by the ids of their messages. */
  const sent = new Map<string, string>();
  let active: RunHandle | undefined;
  let last: RunHandle | undefined;
  let isBeginning = false;

  const tellWaiting = (): void => listener.waiting([...sent.values()]);

  async function begin(task: string): Promise<void> {
    isBeginning = true;
    try {
      const images = await mentionedImages(task, process.cwd());
      const request = { task, ...settings, ...(images.length > 0 && { images }) };
      const agent = settings.agent ?? "main";
      const run = await (last?.continue(request) ?? cadre.spawn({ ...request, agent }));
      await follow(run, task);
    } catch (error) {
      listener.failed(error);
    } finally {
      isBeginning = false;
    }
  }

  /** Follows a turn to its end. */
  async function follow(run: RunHandle, task?: string): Promise<void> {
    [active, last] = [run, run];
    let result: RunResult;
    try {
      listener.begun(run, task);
      for await (const part of run.stream()) {
        if (part.type === "message" && sent.delete(part.id)) tellWaiting();
        listener.part(part);
      }
      result = await run.result();
    } finally {
      active = undefined;
    }
    listener.ended(result);
  }

  /** Begins turns for what the agent did not read before its turn ended. */
  async function sayLeft(): Promise<void> {
    while (sent.size > 0) {
      const text = [...sent.values()].join("\n\n");
      sent.clear();
      tellWaiting();
      await begin(text);
    }
  }

  return {
    settings,
    get active() {
      return active;
    },
    get last() {
      return last;
    },
    async say(text) {
      const id = await active?.send(text);
      if (id === undefined && !isBeginning) {
        await begin(text);
        return await sayLeft();
      }
      sent.set(id ?? `unsent ${sent.size}`, text);
      tellWaiting();
    },
    async interrupt() {
      await active?.cancel("interrupted by the user");
    },
    async open(run) {
      sent.clear();
      last = run;
      const { status, rootId } = await run.state();
      if (isEnded(status)) return;
      await cadre.resume(rootId);
      await follow(run).catch(listener.failed);
      await sayLeft();
    },
    clear() {
      last = undefined;
    },
  };
}

function isEnded(status: RunResult["status"] | string): boolean {
  return ["succeeded", "failed", "cancelled", "timed-out"].includes(status);
}
