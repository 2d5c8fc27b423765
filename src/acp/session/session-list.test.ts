import { expect, test } from "vitest";
import { createConversationFixture } from "../../../test/fixtures/delegation/conversation-fixture.ts";
import { testRegistryOption } from "../../../test/fixtures/registry/test-registry.ts";
import { readSessionList } from "./session-list.ts";

test("a list has pages of 100 sessions, the latest first, each once", async () => {
  const { project, cadre } = await createConversationFixture(() => "done");
  const begun: string[] = [];
  for (let count = 0; count < 101; count++) {
    const run = await cadre.spawn({ agent: "boss", task: `task ${count}` });
    await run.result();
    begun.push(run.id);
  }
  const { folder: cwd, home } = project;
  const options = { home, environment: {}, ...testRegistryOption(home) };
  const first = await readSessionList({ cwd }, options);
  expect(first.sessions).toHaveLength(100);
  expect(first.nextCursor).toBe("100");
  const second = await readSessionList({ cwd, cursor: "100" }, options);
  expect(second.nextCursor).toBeUndefined();
  const listed = [...first.sessions, ...second.sessions].map(({ sessionId }) => sessionId);
  expect(listed).toEqual(begun.toReversed());
  const beyond = await readSessionList({ cwd, cursor: "200" }, options);
  expect(beyond).toEqual({ sessions: [] });
});

test("a cursor that no list gave is refused", async () => {
  for (const cursor of ["-1", "1.5", "next", "", "99999999999"]) {
    await expect(readSessionList({ cursor }, {})).rejects.toMatchObject({
      code: "invalid-argument",
      message: `Expected \`cursor\` to be the nextCursor of a list; got ${cursor}.`,
    });
  }
});
