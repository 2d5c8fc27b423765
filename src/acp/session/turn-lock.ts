import { RequestError } from "@agentclientprotocol/sdk";

/** Allows a session the work of one turn at a time. */
export interface TurnLock {
  isBusy(): boolean;
  /**
   * Executes `work` with the result of `open`, which is called before the session becomes busy.
   *
   * @throws RequestError when the session is busy.
   */
  run<Opened, Value>(
    open: () => Promise<Opened>,
    work: (place: Opened) => Promise<Value>,
  ): Promise<Value>;
  /** Resolves when no turn is in progress. */
  idle(): Promise<void>;
}

/** Creates the lock of a session that is not busy. */
export function createTurnLock(): TurnLock {
  let current: Promise<unknown> | undefined;
  return {
    isBusy: () => current !== undefined,
    async run(open, work) {
      if (current !== undefined) throw RequestError.invalidRequest({ code: "busy" }, busyMessage);
      const working = open().then(work);
      current = working;
      try {
        return await working;
      } finally {
        current = undefined;
      }
    },
    idle: async () => void (await current?.catch(() => undefined)),
  };
}

const busyMessage = "A turn of this session is in progress. Cancel it, or wait for its end.";
