import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { limitCpu } from "./cpu-limit.ts";

const code = `
const { parentPort } = require("node:worker_threads");
parentPort.on("message", (work) => {
  if (work === "compute") for (;;) {}
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
  parentPort.postMessage("waited");
});
parentPort.postMessage("ready");
`;

async function startWorker(): Promise<Worker> {
  const worker = new Worker(code, { eval: true });
  onTestFinished(() => void worker.terminate());
  await once(worker, "message");
  return worker;
}

test("a worker that computes for too long reaches its limit", async () => {
  const worker = await startWorker();
  const limit = limitCpu(worker, 50);
  onTestFinished(limit.stop);
  worker.postMessage("compute", []);
  await once(limit.signal, "abort");
});

test("a worker that waits never reaches its limit", async () => {
  const worker = await startWorker();
  const limit = limitCpu(worker, 50);
  onTestFinished(limit.stop);
  worker.postMessage("wait", []);
  expect(await once(worker, "message")).toEqual(["waited"]);
  expect(limit.signal.aborted).toBe(false);
});
