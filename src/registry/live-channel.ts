/**
 * Messages between the processes that share a store, about output that is not recorded. They may be lost: nothing that must happen
 * depends on one.
 */
export interface LiveChannel {
  /** Identifies this process among those that share the store. */
  readonly id: string;
  /** The most bytes of a message, in UTF-8. */
  readonly mostBytes: number;
  /**
   * Sends messages to all processes that listen to `topic`, this one included. They arrive in their order.
   *
   * @throws CadreError `registry-unavailable`.
   */
  send(topic: string, messages: readonly string[]): Promise<void>;
  /**
   * Calls `listener` with each message about `topic`, and with `undefined` when messages may have been lost. Returns the function
   * that stops it.
   */
  listen(topic: string, listener: (message: string | undefined) => void): () => void;
}
