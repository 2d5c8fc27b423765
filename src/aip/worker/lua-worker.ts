// The worker thread: executes scripts in Lua with the library, and renders templates.

import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { readTemplate, renderTemplate } from "../library/format/hbs.ts";
import { awaitAnswer } from "../lua/answer-count.ts";
import type {
  CheckJob,
  LuaAnswer,
  LuaJob,
  LuaMessage,
  LuaOutcome,
  LuaWorkerData,
  RenderJob,
} from "../lua/lua-protocol.ts";
import { compileScript, executeScript } from "./lua-script.ts";
import type { LuaValue } from "../lua/lua-value.ts";
import { prepareLuaThread } from "../lua/lua-vm.ts";
import { errorMessage } from "../../error-message.ts";

const { answers, port, memoryBytes } = workerData as LuaWorkerData;
const answered = new Int32Array(answers);
prepareLuaThread(memoryBytes);

parentPort?.on("message", (job: LuaJob) => {
  void work(job).then(send);
});

function send(message: LuaMessage): void {
  port.postMessage(message, []);
}

async function work(job: LuaJob): Promise<LuaOutcome> {
  send({ type: "begin" });
  try {
    if (job.type === "render") return render(job);
    if (job.type === "check") return await check(job);
    return { type: "value", value: await executeScript(job, askHost) };
  } catch (error) {
    return { type: "failure", message: describeLuaError(error) };
  }
}

function render({ templates, data }: RenderJob): LuaOutcome {
  const texts: string[] = [];
  for (const [index, template] of templates.entries()) {
    try {
      texts.push(renderTemplate(template, data));
    } catch (error) {
      return { type: "failure", message: describeLuaError(error), index };
    }
  }
  return { type: "texts", texts };
}

async function check({ name, scripts, templates }: CheckJob): Promise<LuaOutcome> {
  const problems: (string | null)[] = [];
  for (const script of scripts) {
    problems.push(await problemOf(() => compileScript({ name, ...script })));
  }
  const wrong = templates.map((template) => problemOf(() => readTemplate(template)));
  return { type: "problems", scripts: problems, templates: await Promise.all(wrong) };
}

async function problemOf(read: () => void | Promise<void>): Promise<string | null> {
  try {
    await read();
    return null;
  } catch (error) {
    return describeLuaError(error);
  }
}

/** Calls the host and sleeps until it has answered, so that scripts see an ordinary function. */
function askHost(name: string, ...args: LuaValue[]): LuaValue {
  const before = Atomics.load(answered, 0);
  send({ type: "call", name, args });
  awaitAnswer(answered, before);
  const received = receiveMessageOnPort(port);
  if (received === undefined) throw new Error(`the host gave no answer to ${name}`);
  const answer = received.message as LuaAnswer;
  if (!answer.ok) throw new Error(answer.message);
  return answer.value;
}

/** The maximum length of a message, in characters. */
const maxMessageLength = 4000;

function describeLuaError(error: unknown): string {
  const message = errorMessage(error);
  if (message.startsWith("Maximum call stack")) return "the script calls itself too deeply";
  if (message.startsWith("Aborted("))
    return "Lua crashed: its memory was used up, or an error's own __tostring failed";
  return message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}…` : message;
}
