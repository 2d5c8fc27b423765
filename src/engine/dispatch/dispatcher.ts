// The port to the queue that tells workers which families wait.

/** One attempt to execute a family. */
export interface QueueTask {
  rootId: string;
  /** From 1. */
  attempt: number;
}

/** Where a task waits. */
export interface QueuePosition {
  /** The label that a worker needs; `null` = none. */
  label: string | null;
  /** Tasks of a higher priority are taken first: from -100 to 100. */
  priority: number;
}

/** How a worker takes tasks from the queue. */
export interface WorkOptions {
  workerId: string;
  /** The queue of the families that need this label; `null` = of those that need none. */
  label: string | null;
  /** How many tasks this worker executes at once. */
  concurrency: number;
}

/** Executes a family to its end, or finds that somebody else does. Never rejects. */
export type ExecuteTask = (task: QueueTask) => Promise<void>;

/**
 * Tells workers that there is work. It may lose a task or deliver it twice: the work table of the registry says who executes a
 * family, and its journal what happened. A task is delivered at most once for each attempt by a queue that loses nothing.
 */
export interface Dispatcher {
  /** Puts a task into the queue of a label. A task that is there already is not put there again. */
  submit(task: QueueTask, position: QueuePosition): Promise<void>;
  /** Returns those of `tasks` that neither wait in a queue nor were delivered to one of the workers `alive`. */
  lost(tasks: readonly QueueTask[], alive: readonly string[]): Promise<QueueTask[]>;
  /** Removes tasks from their queues. */
  withdraw(tasks: readonly QueueTask[]): Promise<void>;
  /** Deletes what the queue keeps of tasks that ended long ago. */
  tidy(): Promise<void>;
  /** Takes tasks until {@link Dispatcher.rest}. Called once. */
  work(execute: ExecuteTask, options: WorkOptions): Promise<void>;
  /** Stops taking tasks at once. Resolves when those that are being executed have ended, after `timeoutMs` at the latest. */
  rest(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Connects to the queue beside the registry. */
export type ConnectDispatcher = (place: { url: string; schema: string }) => Promise<Dispatcher>;
