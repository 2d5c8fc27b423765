import { setImmediate as nextTurn } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { samples } from "../../../test/is-long.ts";
import { createSlots, type Slot, type Slots } from "./slots.ts";

const never = new AbortController().signal;

/** Executes a tree of runs like parents and children, and records the maximum of concurrently active runs. */
async function executeTree(slots: Slots, depth: number, width: number): Promise<void> {
  const slot = await slots.acquire(never);
  await nextTurn();
  if (depth > 0) {
    slot.fork(width - 1);
    let open = width;
    await Promise.all(
      Array.from({ length: width }, async () => {
        await slot.yieldWhile(executeTree(slots, depth - 1, width));
        open -= 1;
        if (open > 0) slot.leave();
      }),
    );
  }
  slot.release();
}

describe("slots", () => {
  test("are granted in the order of the requests", async () => {
    const slots = createSlots(1);
    const first = await slots.acquire(never);
    const order: number[] = [];
    const others = [1, 2, 3].map(async (name) => {
      const slot = await slots.acquire(never);
      order.push(name);
      slot.release();
    });
    await nextTurn();
    expect(order).toEqual([]);
    first.release();
    await Promise.all(others);
    expect(order).toEqual([1, 2, 3]);
    expect(slots.active).toBe(0);
  });

  test("go to a returning run before one that has not begun", async () => {
    const slots = createSlots(1);
    const order: string[] = [];
    const parent = await slots.acquire(never);
    const child = Promise.withResolvers<void>();
    const returned = parent.yieldWhile(child.promise).then(() => void order.push("parent"));
    const holder = await slots.acquire(never);
    const beginAnother = async (): Promise<void> => {
      const slot = await slots.acquire(never);
      order.push("beginner");
      slot.release();
    };
    const beginner = beginAnother();
    child.resolve();
    await nextTurn();
    holder.release();
    await returned;
    parent.release();
    await beginner;
    expect(order).toEqual(["parent", "beginner"]);
  });

  test("with a capacity of one suffice for a nesting of three levels", async () => {
    const slots = createSlots(1);
    await executeTree(slots, 3, 3);
    expect(slots.active).toBe(0);
  });

  test("are not granted to a run that left the queue", async () => {
    const slots = createSlots(1);
    const first = await slots.acquire(never);
    const leaving = new AbortController();
    const left = slots.acquire(leaving.signal);
    const stayed = slots.acquire(never);
    leaving.abort(new Error("cancelled"));
    await expect(left).rejects.toThrow("cancelled");
    first.release();
    (await stayed).release();
    expect(slots.active).toBe(0);
    await expect(slots.acquire(leaving.signal)).rejects.toThrow("cancelled");
  });

  test("are free again after a run that ended while it waited to return", async () => {
    const slots = createSlots(1);
    const run = await slots.acquire(never);
    const work = Promise.withResolvers<void>();
    const returning = run.yieldWhile(work.promise);
    const holder = await slots.acquire(never);
    work.resolve();
    await nextTurn();
    run.release();
    holder.release();
    await returning;
    expect(slots.active).toBe(0);
  });

  test("suffice for a program that delegates in concurrent branches, one call after another in each", async () => {
    const slots = createSlots(1);
    const program = await slots.acquire(never);
    const delegate = (): Promise<void> => program.yieldWhile(executeTree(slots, 1, 1));
    const branch = async (): Promise<void> => {
      await delegate();
      await delegate();
      await delegate();
    };
    await Promise.all([branch(), branch(), branch()]);
    expect(slots.active).toBe(1);
    program.release();
    expect(slots.active).toBe(0);
  });

  test("are not kept by a program that waits again while one of its branches is queued", async () => {
    const slots = createSlots(1);
    const program = await slots.acquire(never);
    const [first, second, third] = [0, 1, 2].map(() => Promise.withResolvers<void>());
    const yieldFor = (work: typeof first): Promise<void> =>
      program.yieldWhile(work?.promise ?? Promise.resolve());
    const branches = [yieldFor(first), yieldFor(second)];
    const other = await slots.acquire(never);
    first?.resolve();
    await branches[0];
    second?.resolve();
    await nextTurn();
    branches.push(yieldFor(third));
    other.release();
    await nextTurn();
    // The run that the program waits for needs the slot.
    expect(slots.active).toBe(0);
    third?.resolve();
    await Promise.all(branches);
    expect(slots.active).toBe(1);
    program.release();
    expect(slots.active).toBe(0);
  });

  test("never exceed the capacity, are granted in order, and are all returned, in any schedule", async () => {
    type Action = "acquire" | "abort" | "release" | "yield" | "return";
    const actions = fc.array(
      fc.tuple(
        fc.constantFrom<Action>("acquire", "abort", "release", "yield", "return"),
        fc.nat(20),
      ),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), actions, async (capacity, script) => {
        const slots = createSlots(capacity);
        const runs: Run[] = [];
        const order: number[] = [];
        const expected: number[] = [];
        for (const [action, which] of script) {
          const run = runs[which % Math.max(1, runs.length)];
          if (action === "acquire") runs.push(begin(slots, runs.length, order));
          else if (action === "abort") run?.abort();
          else if (action === "release") run?.release();
          else if (action === "yield") run?.yield();
          else run?.comeBack();
          await nextTurn();
          expect(slots.active).toBeLessThanOrEqual(capacity);
          const atWork = runs.filter((one) => one.state === "working").length;
          expect(atWork).toBeLessThanOrEqual(capacity);
          expect(slots.active).toBe(atWork);
          // No run waits while a slot is free.
          const isWaiting = runs.some((one) => one.state === "queued" || one.state === "returning");
          if (isWaiting) expect(slots.active).toBe(capacity);
        }
        for (const { index } of runs) if (order.includes(index)) expected.push(index);
        expect(order).toEqual(expected);
        for (const run of runs) {
          run.abort();
          run.comeBack();
        }
        for (let round = 0; round < runs.length + 1; round += 1) {
          for (const run of runs) run.release();
          await nextTurn();
        }
        expect(slots.active).toBe(0);
      }),
      { numRuns: samples(60) },
    );
  });
});

interface Run {
  index: number;
  state: "queued" | "gone" | "working" | "waiting" | "returning" | "ended";
  abort(): void;
  release(): void;
  yield(): void;
  comeBack(): void;
}

function begin(slots: Slots, index: number, order: number[]): Run {
  const leaving = new AbortController();
  let slot: Slot | undefined;
  let child = Promise.withResolvers<void>();
  const run: Run = {
    index,
    state: "queued",
    abort: () => leaving.abort(new Error("cancelled")),
    release() {
      if (run.state === "queued" || run.state === "gone") return;
      run.state = "ended";
      slot?.release();
    },
    yield() {
      if (run.state !== "working") return;
      run.state = "waiting";
      child = Promise.withResolvers<void>();
      void stayAway(child.promise);
    },
    comeBack() {
      if (run.state !== "waiting") return;
      run.state = "returning";
      child.resolve();
    },
  };
  async function stayAway(absence: Promise<void>): Promise<void> {
    await slot?.yieldWhile(absence);
    if (run.state === "returning") run.state = "working";
  }

  async function work(): Promise<void> {
    try {
      slot = await slots.acquire(leaving.signal);
      run.state = "working";
      order.push(index);
    } catch {
      run.state = "gone";
    }
  }

  void work();
  return run;
}
