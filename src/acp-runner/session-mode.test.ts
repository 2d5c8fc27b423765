import { expect, test } from "vitest";
import { chooseMode } from "./session-mode.ts";

async function choose(
  answer: Record<string, unknown>,
  modes: readonly string[],
  mustHave = true,
): Promise<{ asked: unknown[]; warnings: string[] }> {
  const asked: unknown[] = [];
  const ask = async (...question: unknown[]): Promise<Record<string, unknown>> => {
    asked.push(question);
    return {};
  };
  return { warnings: await chooseMode(ask, { sessionId: "s", answer, modes, mustHave }), asked };
}

const modes = {
  currentModeId: "https://example.com/modes#agent",
  availableModes: ["agent", "plan"].map((name) => ({ id: `https://example.com/modes#${name}` })),
};
const option = {
  id: "mode",
  category: "mode",
  currentValue: "build",
  options: [{ value: "build" }, { group: "careful", options: [{ value: "plan" }] }],
};
const configOptions = [{ id: "model", category: "model", options: [{ value: "plan" }] }, option];

test("a session is put into the first mode that it has", async () => {
  expect(await choose({ modes }, ["default", "plan"])).toEqual({
    asked: [["session/set_mode", { sessionId: "s", modeId: "https://example.com/modes#plan" }]],
    warnings: [],
  });
  expect((await choose({ modes }, ["default", "agent"])).asked).toEqual([]);
});

test("a mode may be an option of the session, and a list of modes takes precedence over it", async () => {
  const set = ["session/set_config_option", { sessionId: "s", configId: "mode", value: "plan" }];
  expect((await choose({ configOptions }, ["plan"])).asked).toEqual([set]);
  expect((await choose({ configOptions }, ["build"])).asked).toEqual([]);
  expect((await choose({ modes, configOptions }, ["build"])).warnings).toHaveLength(1);
});

test("a session with none of the modes is unchanged, and the result has a warning", async () => {
  expect(await choose({ configOptions }, ["default", "read-only"])).toEqual({
    asked: [],
    warnings: [
      "The runner has no mode default or read-only (it has build, plan): it keeps its own mode.",
    ],
  });
});

test.each([[{}], [{ modes: 1, configOptions: {} }], [{ configOptions: [null, { category: 1 }] }]])(
  "an agent without modes gets no mode: %j",
  async (answer) => {
    expect(await choose(answer, ["plan"])).toEqual({ asked: [], warnings: [] });
  },
);
