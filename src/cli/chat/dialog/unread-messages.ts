/** Messages that were sent to a turn and that its agent has not read yet. */
export interface UnreadMessages {
  /** Adds a message by its id. Without an id, the turn had not begun or had already ended. */
  add(id: string | undefined, text: string): void;
  /** Removes a message that the agent has read. Returns `false` for a message that is kept. */
  read(id: string): boolean;
  /** Keeps the messages until they are taken, even if the agent reads them: an interrupted turn does not answer them. */
  keep(): void;
  /** Takes all messages as one text; `undefined` when there are none. */
  take(): string | undefined;
}

/** Creates an empty list; `onChange` receives the texts. */
export function createUnreadMessages(onChange: (texts: readonly string[]) => void): UnreadMessages {
  const sent = new Map<string, string>();
  let areKept = false;
  const notify = (): void => onChange([...sent.values()]);
  return {
    add(id, text) {
      sent.set(id ?? `unsent ${sent.size}`, text);
      notify();
    },
    read(id) {
      if (areKept && sent.has(id)) return false;
      if (sent.delete(id)) notify();
      return true;
    },
    keep() {
      areKept = true;
    },
    take() {
      areKept = false;
      if (sent.size === 0) return undefined;
      const text = [...sent.values()].join("\n\n");
      sent.clear();
      notify();
      return text;
    },
  };
}
