// Runs for workers: the engine that gives root runs to them, and the port to the queue between.

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
  /** From -100 to 100. Tasks with a higher priority are taken first. */
  priority: number;
}

/** How a worker takes tasks from the queue. */
export interface WorkOptions {
  workerId: string;
  /** The label whose queue the worker serves; `null` = the queue of families without a label. */
  label: string | null;
  /** How many tasks this worker executes at once. */
  concurrency: number;
}

/** Executes a family to its end, unless another process executes it. Never rejects. */
export type ExecuteTask = (task: QueueTask) => Promise<void>;

/**
 * Tells workers that families wait. It may lose a task or deliver it twice: the work table of the registry records which worker
 * executes a family, and the journal what happened.
 */
export interface Dispatcher {
  /** Puts a task into the queue of a label, unless the queue has it. */
  submit(task: QueueTask, position: QueuePosition): Promise<void>;
  /** Returns the `tasks` that neither wait in a queue nor were delivered to one of the workers `alive`. */
  lost(tasks: readonly QueueTask[], alive: readonly string[]): Promise<QueueTask[]>;
  /** Removes tasks from their queues. */
  withdraw(tasks: readonly QueueTask[]): Promise<void>;
  /** Deletes records of tasks that ended long ago. */
  tidy(): Promise<void>;
  /** Takes tasks until {@link Dispatcher.rest}. Called once. */
  work(execute: ExecuteTask, options: WorkOptions): Promise<void>;
  /** Stops taking tasks at once. Resolves when the active ones have ended, after `timeoutMs` at the latest. */
  rest(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Connects to the queue beside the registry. */
export type ConnectDispatcher = (address: { url: string; schema: string }) => Promise<Dispatcher>;
