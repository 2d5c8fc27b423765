import { expect, test } from "vitest";
import { createTurnSharing } from "./share-turns.ts";

function work(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

test("a turn that has created runs for long is followed by another, in which they can be committed", async () => {
  const shareTurns = createTurnSharing();
  expect(shareTurns()).toBeUndefined();
  let isCommitted = false;
  setImmediate(() => (isCommitted = true));
  work(25);
  const wait = shareTurns();
  expect(wait).toBeInstanceOf(Promise);
  await wait;
  expect(isCommitted).toBe(true);
  expect(shareTurns()).toBeUndefined();
});
