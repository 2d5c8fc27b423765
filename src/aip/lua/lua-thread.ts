// Lua in threads: starts workers, gives them scripts, and converts values.

import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { threadEnvironment } from "../../compile-cache.ts";
import { limitCpu } from "../../source/cpu-limit.ts";
import { type AnswerCount, countAnswer } from "./answer-count.ts";
import type {
  LuaAnswer,
  LuaCall,
  LuaJob,
  LuaMessage,
  LuaOutcome,
  LuaWorkerData,
} from "./lua-protocol.ts";
import type { LuaValue } from "./lua-value.ts";
import { errorMessage } from "../../error-message.ts";

/** The resource limits of a script. */
export interface LuaLimits {
  /** Lua's CPU time in one stage, in seconds, without the host's work. Default 60. */
  seconds?: number;
  /** Lua's memory in bytes. Default 256 MiB. */
  memoryBytes?: number;
}

/** Answers a call of a script. */
export type AnswerCall = (name: string, args: LuaValue[]) => Promise<LuaValue>;

/** A thread that executes one job at a time. */
export interface LuaThread {
  /**
   * Executes a job.
   *
   * @throws Error when the script exceeds a limit (the thread is then dead), and the reason of `signal`.
   */
  execute(job: LuaJob, answer: AnswerCall, signal: AbortSignal): Promise<LuaOutcome>;
  /** Reports whether it can take another job. */
  isAlive(): boolean;
  close(): Promise<void>;
}

const defaults = { seconds: 60, memoryBytes: 256 * 1024 * 1024 } as const;

/** Starts a thread for Lua, which has no files, no network and no environment variable except TZ. */
export function startLuaThread(limits: LuaLimits): LuaThread {
  const { port1, port2 } = new MessageChannel();
  const answers = new SharedArrayBuffer(4);
  const memoryBytes = limits.memoryBytes ?? defaults.memoryBytes;
  const worker = startWorker({ answers, port: port2, memoryBytes });
  port1.unref();
  const seconds = limits.seconds ?? defaults.seconds;
  const line: Line = { worker, port: port1, answered: new Int32Array(answers), memoryBytes };
  let isAlive = true;
  // A thread that dies while idle is just no longer available.
  worker
    .on("error", () => undefined)
    .on("exit", () => {
      isAlive = false;
    });
  const close = async (): Promise<void> => {
    isAlive = false;
    port1.close();
    await worker.terminate();
  };
  return {
    isAlive: () => isAlive,
    close,
    async execute(job, answer, signal) {
      signal.throwIfAborted();
      const stop = new AbortController();
      try {
        return await exchangeMessages(line, job, { answer, signal, seconds, ended: stop.signal });
      } catch (error) {
        await close();
        throw error;
      } finally {
        stop.abort();
        port1.unref();
        worker.unref();
      }
    },
  };
}

/** The two ends of a worker's connection. */
interface Line {
  worker: Worker;
  port: MessagePort;
  answered: AnswerCount;
  memoryBytes: number;
}

function startWorker(workerData: LuaWorkerData): Worker {
  // Built code is JavaScript; sources run as TypeScript.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`../worker/lua-worker.${extension}`, import.meta.url), {
    workerData,
    transferList: [workerData.port],
    env: { TZ: process.env["TZ"], ...threadEnvironment() },
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 8 },
  });
  // Discards the output of the wasm module, which would accumulate.
  worker.stdout.resume();
  worker.stderr.resume();
  worker.unref();
  return worker;
}

interface Exchange {
  answer: AnswerCall;
  signal: AbortSignal;
  seconds: number;
  /** Aborts when the job is over. */
  ended: AbortSignal;
}

/** Gives the worker a job and answers its calls until the result arrives. */
function exchangeMessages(line: Line, job: LuaJob, exchange: Exchange): Promise<LuaOutcome> {
  const { worker, port, answered, memoryBytes } = line;
  worker.ref();
  return new Promise<LuaOutcome>((resolve, reject) => {
    const abort = (): void => reject(asError(exchange.signal.reason));
    exchange.signal.addEventListener("abort", abort, { once: true, signal: exchange.ended });
    const fail = (error: Error): void => reject(describeEnd(error, memoryBytes));
    const exit = (): void => reject(new Error("the thread of the script ended"));
    const reply = async ({ name, args }: LuaCall): Promise<void> => {
      const message = await answerSafely(exchange.answer, name, args);
      if (exchange.ended.aborted) return;
      port.postMessage(message, []);
      countAnswer(answered);
    };
    const receive = (message: LuaMessage): void => {
      if (message.type === "begin") limitScript(worker, exchange, reject);
      else if (message.type === "call") void reply(message);
      else resolve(message);
    };
    port.on("message", receive);
    worker.on("error", fail).on("exit", exit);
    const release = (): void => {
      worker.off("error", fail).off("exit", exit);
      port.off("message", receive);
    };
    exchange.ended.addEventListener("abort", release, { once: true });
    worker.postMessage(job, []);
  });
}

async function answerSafely(
  answer: AnswerCall,
  name: string,
  args: LuaValue[],
): Promise<LuaAnswer> {
  try {
    return { ok: true, value: (await answer(name, args)) ?? null };
  } catch (error) {
    return { ok: false, message: errorMessage(error) };
  }
}

/** Limits the CPU time of a script. Waiting for the host takes none. */
function limitScript(
  worker: Worker,
  { seconds, ended }: Exchange,
  reject: (error: Error) => void,
): void {
  const { signal, stop } = limitCpu(worker, seconds * 1000);
  ended.addEventListener("abort", stop, { once: true });
  const late = (): void => reject(new Error(`the script took longer than ${seconds} s`));
  signal.addEventListener("abort", late, { once: true });
}

function describeEnd(error: Error, memoryBytes: number): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "ERR_WORKER_OUT_OF_MEMORY") return error;
  return new Error(`the script exceeded its memory limit (${memoryBytes} bytes)`);
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
