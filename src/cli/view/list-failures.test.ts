import { expect, test } from "vitest";
import { createRun } from "../../../test/cli/create-run.ts";
import type { Run } from "../../host.ts";
import { listFailures } from "./list-failures.ts";

function failed(id: string, agent: string, message: string): Run {
  const result = { failure: { code: "model-error", message } } as Run["result"];
  return createRun({ id, agent, status: "failed", result });
}

test("failures for the same reason are one line with a count", () => {
  const many = Array.from({ length: 60 }, (_, index) => failed(`t-${index}`, "worker", "No key."));
  const others = [failed("t-a", "reader", "No key."), failed("t-b", "reader", "No disk.")];
  expect(listFailures([...many, createRun({ status: "succeeded" }), ...others])).toEqual([
    "  failed 61 times: worker (0), worker (1), worker (2) and 58 more: No key.",
    "  failed: reader (b): No disk.",
  ]);
});

test("at most ten reasons are shown, with the number of the remaining runs", () => {
  const runs = Array.from({ length: 13 }, (_, index) => failed(`t-${index}`, "a", `No ${index}.`));
  expect(listFailures(runs)).toHaveLength(11);
  expect(listFailures(runs).at(-1)).toBe("  … and 3 more");
});
