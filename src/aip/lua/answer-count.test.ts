import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { countAnswer } from "./answer-count.ts";

test("a thread sleeps until it is answered, whatever else wakes it", async () => {
  const count = new Int32Array(new SharedArrayBuffer(4));
  const place = JSON.stringify(new URL("answer-count.ts", import.meta.url).href);
  const code = `import(${place}).then(({ awaitAnswer }) => {
    awaitAnswer(require("node:worker_threads").workerData, 0);
    require("node:worker_threads").parentPort.postMessage("awake");
  });`;
  const worker = new Worker(code, { eval: true, workerData: count });
  let isAwake = false;
  worker.on("message", () => {
    isAwake = true;
  });
  // The late notification of an earlier answer: it ends the sleep that has begun meanwhile.
  while (!isAwake && Atomics.notify(count, 0) === 0) await new Promise(setImmediate);
  while (!isAwake && Atomics.notify(count, 0) === 0) await new Promise(setImmediate);
  expect(isAwake).toBe(false);
  countAnswer(count);
  await once(worker, "message");
  await worker.terminate();
});
