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
  await expect.poll(() => Atomics.notify(count, 0)).toBe(1);
  await expect.poll(() => Atomics.notify(count, 0)).toBe(1);
  expect(isAwake).toBe(false);
  countAnswer(count);
  await once(worker, "message");
  await worker.terminate();
});
