/**
 * Messages between the processes that share a store, about output that is not recorded. They may be lost, so nothing may depend
 * on their arrival.
 */
export interface LiveChannel {
  /** Identifies this process among those that share the store. */
  readonly id: string;
  /** The maximum size of a message, in bytes of UTF-8. */
  readonly maxBytes: number;
  /**
   * Sends messages to all processes that listen to `topic`, including this one. They arrive in order.
   *
   * @throws CadreError `registry-unavailable`.
   */
  send(topic: string, messages: readonly string[]): Promise<void>;
  /**
   * Calls `listener` with each message about `topic`, and with `undefined` when messages may have been lost. Returns the function
   * that stops listening.
   */
  listen(topic: string, listener: (message: string | undefined) => void): () => void;
}
