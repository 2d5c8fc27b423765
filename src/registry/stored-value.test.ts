import { expect, test } from "vitest";
import { readPositionedEvent } from "./stored-value.ts";

const read = (data: string): ReturnType<typeof readPositionedEvent> =>
  readPositionedEvent("7", { run_id: "r", seq: 2, at: 5, type: "run-started", data });

test("the stored text of an event is used when it has the same content on one line", () => {
  const { event, json } = read('{"type":"run-started","owner":"o","elapsedMs":1}');
  expect(event).toEqual({
    type: "run-started",
    owner: "o",
    elapsedMs: 1,
    runId: "r",
    seq: 2,
    at: 5,
  });
  expect(JSON.parse(json ?? "")).toEqual(event);
  expect(json).not.toMatch(/[\r\n]/);
});

test.each([
  '{"type":"run-started",\n"owner":"o"}',
  '{"type":"run-started","owner":"o"}\r',
  ' {"type":"run-started","owner":"o"}',
  '{"type":"run-finished","owner":"o"}',
  '{"owner":"o"}',
  '{"type":"run-started","owner":"o","runId":"other"}',
])("a text that was changed by hand is not used: %j", (data) => {
  const { event, json } = read(data);
  expect(json).toBeUndefined();
  expect(event).toMatchObject({ type: "run-started", owner: "o", runId: "r", seq: 2, at: 5 });
});
