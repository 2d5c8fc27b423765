import { expect, test } from "vitest";
import { doWithin } from "./bounded-work.ts";

const forever = (): object => {
  for (;;);
};

function wait(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

test("work that computes for too long is stopped, and later work runs", () => {
  expect(doWithin(30, forever)).toBeUndefined();
  expect(doWithin(30, () => ["done"])).toEqual(["done"]);
});

test("work that got no CPU time is repeated with more time", () => {
  let begun = 0;
  const work = (): string[] => {
    begun += 1;
    // Simulates a busy machine.
    wait(30);
    for (let steps = 0; steps < 1000; steps += 1);
    return ["done"];
  };
  expect(doWithin(20, work)).toEqual(["done"]);
  expect(begun).toBeGreaterThan(1);
});

test("an error of the work is thrown unchanged", () => {
  const broken = (): object => {
    throw new RangeError("too deep");
  };
  expect(() => doWithin(30, broken)).toThrow(new RangeError("too deep"));
});
