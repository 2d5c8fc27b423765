import { expect, test } from "vitest";
import {
  calledFromTrace,
  callerTrace,
  readTraceContext,
  traceHeaders,
  traceVariables,
  withinTrace,
} from "./trace-context.ts";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

test("work within a trace passes it on in headers and variables, also after a wait", async () => {
  await withinTrace({ traceparent, tracestate: "a=1" }, async () => {
    await Promise.resolve();
    expect(traceHeaders()).toEqual({ traceparent, tracestate: "a=1" });
    expect(traceVariables()).toEqual({ TRACEPARENT: traceparent, TRACESTATE: "a=1" });
  });
  expect(traceHeaders()).toBeUndefined();
  expect(traceVariables()).toEqual({});
});

test("the trace of a caller is passed on only by what is traced itself", () => {
  calledFromTrace({ traceparent }, () => {
    expect(callerTrace()).toEqual({ traceparent });
    expect(traceHeaders()).toBeUndefined();
  });
  expect(calledFromTrace(undefined, callerTrace)).toBeUndefined();
});

test.each([
  undefined,
  1,
  "",
  "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
  "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
  "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
  "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
  `${traceparent}\nX: y`,
])("%j is no trace context", (given) => {
  expect(readTraceContext(given)).toBeUndefined();
});

test("a trace context keeps its valid state, and fields of a later version are dropped", () => {
  expect(readTraceContext(traceparent, "a=1")).toEqual({ traceparent, tracestate: "a=1" });
  expect(readTraceContext(traceparent, "a\n1")).toEqual({ traceparent });
  expect(readTraceContext(`${traceparent}-later`)).toEqual({ traceparent });
});
