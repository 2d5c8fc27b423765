import { expect, test } from "vitest";
import { addressOf, readRoute } from "./route.ts";

test("an address names a view, and every other one the list of runs", () => {
  expect(readRoute(addressOf("runs", "a/b c"))).toEqual({ view: "run", id: "a/b c" });
  expect(readRoute("#/compare/a/b")).toEqual({ view: "compare", ids: ["a", "b"] });
  expect(readRoute("#/start")).toEqual({ view: "start", agent: "main" });
  expect(readRoute("#/start/worker")).toEqual({ view: "start", agent: "worker" });
  expect(readRoute("#/usage")).toEqual({ view: "usage" });
  for (const hash of ["", "#/runs", "#/runs/", "#/nothing", "#/compare/a", "#/%"]) {
    expect(readRoute(hash)).toEqual({ view: "runs" });
  }
});
