import { expect, test } from "vitest";
import { addressIn, readProject, readRoute } from "./route.ts";

test("an address names a view, and every other one the list of runs", () => {
  expect(readRoute(addressIn("", "runs", "a/b c"))).toEqual({ view: "run", id: "a/b c", at: null });
  expect(readRoute("#/runs/a/12")).toEqual({ view: "run", id: "a", at: 12 });
  expect(readRoute("#/runs/a/x")).toEqual({ view: "run", id: "a", at: null });
  expect(readRoute("#/evals")).toEqual({ view: "evals", id: "" });
  expect(readRoute("#/compare-evals/a/b")).toEqual({ view: "compare-evals", ids: ["a", "b"] });
  expect(readRoute("#/compare/a/b")).toEqual({ view: "compare", ids: ["a", "b"] });
  expect(readRoute("#/start")).toEqual({ view: "start", agent: "main" });
  expect(readRoute("#/start/worker")).toEqual({ view: "start", agent: "worker" });
  expect(readRoute("#/agents/worker")).toEqual({ view: "agents", name: "worker" });
  expect(readRoute("#/usage")).toEqual({ view: "usage" });
  for (const hash of ["", "#/runs", "#/runs/", "#/nothing", "#/compare/a", "#/%"]) {
    expect(readRoute(hash)).toEqual({ view: "runs" });
  }
});

test("an address names a project of the server, or means the first", () => {
  const address = addressIn("shop & co", "runs", "a");
  expect(readProject(address)).toBe("shop & co");
  expect(readRoute(address)).toEqual({ view: "run", id: "a", at: null });
  expect(readProject("#/runs/a")).toBe("");
  expect(readRoute("#/@shop")).toEqual({ view: "runs" });
});
