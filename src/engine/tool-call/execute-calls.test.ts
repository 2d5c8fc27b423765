import { expect, test } from "vitest";
import {
  createEngineFixture,
  createTestTool,
  eventually,
} from "../../../test/fixtures/engine-fixture.ts";
import type { ToolAccess } from "../../tool/tool.ts";
import { onFiles } from "../../../test/fixtures/postgres/on-files.ts";

interface Wanted {
  name: string;
  access: ToolAccess;
  paths: readonly string[] | null;
}

/** Makes the calls in one reply, ends each when allowed, and returns the calls that were active together with it. */
async function execute(calls: readonly Wanted[]): Promise<Record<string, string[]>> {
  const running = new Set<string>();
  const together = new Map<string, Set<string>>(calls.map(({ name }) => [name, new Set()]));
  const ends = new Map<string, () => void>();
  const order: string[] = [];
  const tools = calls.map(({ name, access, paths }) =>
    createTestTool(
      name,
      async () => {
        for (const other of running) {
          together.get(other)?.add(name);
          together.get(name)?.add(other);
        }
        running.add(name);
        order.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        running.delete(name);
        return name;
      },
      { access, paths },
    ),
  );
  let answers = "";
  const fixture = createEngineFixture({
    tools,
    script({ turn, last }) {
      answers = last;
      if (turn > 0) return { text: "done" };
      return { calls: calls.map(({ name }) => ({ tool: name, input: {} })) };
    },
  });
  const id = await fixture.spawn();
  for (let ended = 0; ended < calls.length;) {
    await eventually(() => (running.size > 0 ? true : undefined));
    // Calls that may begin beside the active ones have begun after some turns of the event loop and some writes.
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      await fixture.registry.flushed();
    }
    const [first = ""] = running;
    ends.get(first)?.();
    ended += 1;
    await eventually(() => (running.has(first) ? undefined : true));
  }
  await fixture.engine.result(id);
  // The answers are in the order of the calls, whatever the order of execution.
  expect(answers.split("\n")).toEqual(calls.map(({ name }) => name));
  return Object.fromEntries([...together].map(([name, others]) => [name, [...others].toSorted()]));
}

const call = (name: string, access: ToolAccess, ...paths: string[]): Wanted => ({
  name,
  access,
  paths,
});
const command = (name: string): Wanted => ({ name, access: "execute", paths: null });

test("reads run concurrently", async () => {
  const calls = [call("A", "read", "/a"), call("B", "read", "/a"), call("C", "read", "/")];
  expect(await execute(calls)).toEqual({ A: ["B", "C"], B: ["A", "C"], C: ["A", "B"] });
});

test("calls with effects run in the order of the calls", async () => {
  const calls = [call("A", "edit", "/a"), call("B", "edit", "/b"), command("C"), command("D")];
  expect(await execute(calls)).toEqual({ A: [], B: [], C: [], D: [] });
});

test("a read waits for the edit of the same file, and for one in its folder, but not for another", async () => {
  const calls = [
    call("Edit", "edit", "/w/a.txt"),
    call("Same", "read", "/w/a.txt"),
    call("Folder", "read", "/w"),
    call("Other", "read", "/w/a.txt.bak"),
  ];
  const together = await execute(calls);
  expect(together["Edit"]).toEqual(["Other"]);
  expect(together["Same"]).toContain("Folder");
});

test("a command waits for reads, and reads wait for it", async () => {
  const calls = [call("Before", "read", "/a"), command("Bash"), call("After", "read", "/a")];
  expect((await execute(calls))["Bash"]).toEqual([]);
});

onFiles("delegations, thoughts and fetches run concurrently with all other calls", async () => {
  const calls = [
    command("Bash"),
    call("Agent", "delegate"),
    call("Think", "none"),
    call("WebFetch", "network"),
  ];
  expect((await execute(calls))["Bash"]).toEqual(["Agent", "Think", "WebFetch"]);
});
