import { expect, test } from "vitest";
import { orAbort } from "./or-abort.ts";

test("an aborted signal wins over work that is done, whose failure nobody reads", async () => {
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(orAbort(Promise.resolve(1), signal)).rejects.toThrow("enough");
  await expect(orAbort(Promise.reject(new Error("other")), signal)).rejects.toThrow("enough");
});

test("work that ends before the signal aborts gives its value", async () => {
  const { signal } = new AbortController();
  expect(await orAbort(Promise.resolve(1), signal)).toBe(1);
});
