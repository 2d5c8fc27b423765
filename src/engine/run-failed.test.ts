import { expect, test } from "vitest";
import {
  createPlainDefinition,
  createEngineFixture,
  typesOf,
} from "../../test/fixtures/engine-fixture.ts";
import { CadreError } from "../errors.ts";
import { toFailure } from "./run-failed.ts";

test("an error becomes its message, its details and its causes", () => {
  const error = new CadreError("model-error", "no", {
    details: { status: 500 },
    cause: new Error("reset"),
  });
  expect(toFailure(error)).toEqual({
    code: "model-error",
    message: "no",
    details: { status: 500 },
    cause: { code: "internal", message: "reset" },
  });
});

test("a cause that leads back to its error ends", () => {
  const error = new Error("round");
  error.cause = new Error("and round", { cause: error });
  expect(JSON.stringify(toFailure(error)).match(/"message"/g)).toHaveLength(11);
});

test("details that are not JSON are left out", () => {
  const details: Record<string, unknown> = { big: 1n };
  expect(toFailure(new CadreError("tool-failed", "no", { details }))).toEqual({
    code: "internal",
    message: "no",
  });
});

const unprintable: [string, unknown][] = [
  ["null", null],
  ["an object without a prototype", Object.create(null)],
  ["a symbol", Symbol("x")],
  [
    "an error whose message throws",
    Object.defineProperty(new Error("x"), "message", {
      get() {
        throw new Error("y");
      },
    }),
  ],
  [
    "an error whose message is an object",
    Object.assign(new Error("x"), { message: Object.create(null) }),
  ],
];

test.each(unprintable)("whatever is thrown becomes text: %s", (_, thrown) => {
  expect(toFailure(thrown)).toEqual({ code: "internal", message: expect.any(String) });
});

test.each(unprintable)("a run ends once, also when a program throws %s", async (_, thrown) => {
  const fixture = createEngineFixture({
    program() {
      throw thrown;
    },
  });
  const source = { format: "program", scope: "library", path: null } as const;
  const result = await fixture.run({ definition: createPlainDefinition({ source }) });
  expect(result).toMatchObject({ status: "failed", failure: { code: "internal" } });
  const types = typesOf(await fixture.events(result.runId));
  expect(types.filter((type) => type === "run-finished")).toHaveLength(1);
});

test("a run ends once, also when reading an error's own properties fails", async () => {
  const error = new Error("round");
  error.cause = error;
  const fixture = createEngineFixture({ offerTools: () => Promise.reject(error) });
  const result = await fixture.run();
  expect(result).toMatchObject({ status: "failed", failure: { message: "round" } });
});
