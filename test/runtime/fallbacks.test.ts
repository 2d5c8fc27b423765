import { describe, expect, test } from "vitest";
import { drop, message, raw, redirect, status } from "../fake-anthropic.ts";
import type { ModelObject } from "../../src/model/model-object.ts";
import { scriptedModel } from "../../src/testing.ts";
import { inThisProcess } from "../fixtures/postgres/in-this-process.ts";
import { startFailingModels } from "../fixtures/model/failing-models.ts";
import { agentCall } from "../fixtures/model-server.ts";

const overloaded = status(529, "overloaded_error", "Overloaded");
const haiku = "anthropic:claude-haiku-5-5";

describe("a model that fails for good", () => {
  test("is followed by the next one, which answers the rest of the run", async () => {
    const fixture = await startFailingModels(({ turn }) =>
      turn === 0 ? [{ tool: "LS", input: { path: "." } }] : "answered",
    );
    fixture.anthropic.answers = [overloaded];
    const cadre = await fixture.project.open(fixture.options);
    const run = await cadre.spawn({ agent: "main", task: "go", fallbacks: ["spare:big"] });
    const change = `${haiku} failed (overloaded); continues with spare:big`;
    const result = await run.result();
    expect(result).toMatchObject({ status: "succeeded", text: "answered", turns: 2 });
    expect(result.warnings).toEqual([`${change}.`]);
    expect(fixture.anthropic.asked).toBe(1);
    const events = await run.journal();
    expect(events.filter(({ type }) => type === "model-changed")).toMatchObject([
      { key: "model/1", from: haiku, to: "spare:big", reason: "overloaded" },
    ]);
    const replies = events.filter((one) => one.type === "step-finished" && one.kind === "model");
    expect(replies).toMatchObject([
      { key: "model/1", value: { model: "spare:big" } },
      { key: "model/2", value: { model: "spare:big" } },
    ]);
    const [overview] = await cadre.tree(run.id);
    expect(overview).toMatchObject({ model: "spare:big", firstModel: haiku });
  });

  test("is asked as often as retries allow before", async () => {
    const fixture = await startFailingModels(() => "answered");
    fixture.anthropic.answers = [status(503, "api_error", "down", { "retry-after": "0" })];
    const options = { ...fixture.options, limits: { modelRetries: 1 } };
    const cadre = await fixture.project.open(options);
    const result = await cadre.run({ agent: "main", task: "go", fallbacks: ["spare:big"] });
    expect(result.text).toBe("answered");
    expect(fixture.anthropic.asked).toBe(2);
  });

  test.each([
    ["rate-limited", status(429, "rate_limit_error", "slow down", { "retry-after": "7200" })],
    ["server-error", status(500, "api_error", "oops")],
    ["key-refused", status(401, "authentication_error", "invalid x-api-key")],
    ["forbidden", status(403, "permission_error", "not yours")],
    ["not-found", status(404, "not_found_error", "model: claude-haiku-5-5")],
    ["out-of-credit", status(400, "invalid_request_error", "Your credit balance is too low")],
    ["network", drop],
    ["malformed", raw(200, "text/html", "<html>a proxy</html>")],
    ["redirected", redirect],
  ])("is followed by the next one after %s", async (reason, answer) => {
    const fixture = await startFailingModels(() => "answered");
    fixture.anthropic.answers = [answer];
    const cadre = await fixture.project.open({ ...fixture.options, fallbacks: ["spare:big"] });
    const result = await cadre.run({ agent: "main", task: "go" });
    expect(result).toMatchObject({ status: "succeeded", text: "answered" });
    expect(result.warnings).toEqual([`${haiku} failed (${reason}); continues with spare:big.`]);
  });

  test("is not followed after a request that its provider refuses, or a filtered answer", async () => {
    const fixture = await startFailingModels(() => "answered");
    const cadre = await fixture.project.open({ ...fixture.options, fallbacks: ["spare:big"] });
    fixture.anthropic.answers = [status(400, "invalid_request_error", "temperature: too hot")];
    const refused = await cadre.run({ agent: "main", task: "go" });
    fixture.anthropic.answers = [message([{ type: "text", text: "I will not" }], "refusal")];
    const filtered = await cadre.run({ agent: "main", task: "go" });
    for (const { failure, warnings } of [refused, filtered]) {
      expect(failure).toMatchObject({ code: "model-error" });
      expect(warnings).toEqual([]);
    }
    expect(fixture.spare.turns).toEqual([]);
  });

  test("is not followed when the run is cancelled, or its budget is spent", async () => {
    const fixture = await startFailingModels(() => "answered");
    const cadre = await fixture.project.open({ ...fixture.options, fallbacks: ["spare:big"] });
    const stop = new AbortController();
    fixture.anthropic.answers = [() => stop.abort()];
    const cancelled = await cadre.run({ agent: "main", task: "go", signal: stop.signal });
    const spent = await cadre.run({ agent: "main", task: "go", budget: { tokens: 1 } });
    expect(cancelled.status).toBe("cancelled");
    expect(spent.failure).toMatchObject({ code: "budget-exceeded" });
    expect(fixture.spare.turns).toEqual([]);
  });

  test("is followed by one after another, and the last failure ends the run", async () => {
    const fixture = await startFailingModels(() => "answered");
    fixture.anthropic.answers = [overloaded];
    const cadre = await fixture.project.open(fixture.options);
    const fallbacks = ["anthropic:claude-opus-5-5", "spare:missing"];
    const result = await cadre.run({ agent: "main", task: "go", fallbacks });
    expect(result.failure).toMatchObject({ code: "model-unavailable" });
    expect(result.warnings).toEqual([
      `${haiku} failed (overloaded); continues with anthropic:claude-opus-5-5.`,
      "anthropic:claude-opus-5-5 failed (overloaded); continues with spare:missing.",
    ]);
  });
});

describe("a conversation that is too long", () => {
  const task = "word ".repeat(4000);

  test("goes to the next model with a larger context", async () => {
    const sizes = { [haiku]: 2000, "spare:small": 1000, "spare:large": 100_000 };
    const fixture = await startFailingModels(({ model }) => `by ${model}`, {
      models: { contextTokens: sizes },
    });
    const cadre = await fixture.project.open(fixture.options);
    const fallbacks = ["spare:small", "spare:large"];
    const result = await cadre.run({ agent: "main", task, fallbacks });
    expect(result).toMatchObject({ status: "succeeded", text: "by large" });
    expect(fixture.anthropic.asked).toBe(0);
  });

  test("fails when no other model takes more", async () => {
    const sizes = { [haiku]: 2000, "spare:small": 2000 };
    const fixture = await startFailingModels(() => "answered", {
      models: { contextTokens: sizes },
    });
    const cadre = await fixture.project.open(fixture.options);
    const result = await cadre.run({ agent: "main", task, fallbacks: ["spare:small"] });
    expect(result.failure).toMatchObject({ code: "limit-exceeded" });
    expect(result.warnings).toEqual([]);
  });

  test("is compacted for a next model that takes less", async () => {
    const fixture = await startFailingModels(({ model }) => `by ${model}`, {
      models: { contextTokens: { "spare:small": 5000 } },
    });
    fixture.project.write("long.txt", "line of text\n".repeat(2500));
    const read = { type: "tool_use", id: "t1", name: "Read", input: { file_path: "long.txt" } };
    fixture.anthropic.answers = [message([read], "tool_use"), overloaded];
    const cadre = await fixture.project.open(fixture.options);
    const fallbacks = ["spare:small"];
    const run = await cadre.spawn({ agent: "main", task: "go", fallbacks });
    expect(await run.result()).toMatchObject({ status: "succeeded", text: "by small" });
    const types = (await run.journal()).map(({ type }) => type);
    expect(types.indexOf("conversation-compacted")).toBeGreaterThan(types.indexOf("model-changed"));
  });
});

describe("fallbacks", () => {
  test("are those of the request, else of the agent, else of the parent, else configured", async () => {
    const fixture = await startFailingModels(
      ({ agent, turn, model, task }) =>
        agent === "main" && turn === 0 && task === "delegate"
          ? [agentCall("named", "a"), agentCall("plain", "b"), agentCall("none", "c")]
          : `by ${model}`,
      { fallbacks: ["spare:configured"] },
    );
    fixture.anthropic.answers = [overloaded];
    fixture.project.writeAgent("named", { fallbacks: ["spare:file"] });
    fixture.project.writeAgent("plain");
    fixture.project.writeAgent("none", { fallbacks: [] });
    const cadre = await fixture.project.open(fixture.options);
    const delegating = await cadre.spawn({
      agent: "main",
      task: "delegate",
      fallbacks: ["spare:request"],
    });
    await delegating.result();
    const runs = (await cadre.tree(delegating.id)).map(({ agent, model }) => [agent, model]);
    expect(runs).toEqual([
      ["main", "spare:request"],
      ["named", "spare:file"],
      ["plain", "spare:request"],
      ["none", haiku],
    ]);
    expect((await cadre.run({ agent: "plain", task: "go" })).text).toBe("by configured");
    const option = await fixture.project.open({ ...fixture.options, fallbacks: ["spare:option"] });
    expect((await option.run({ agent: "plain", task: "go" })).text).toBe("by option");
  });

  test("take the place of a model without a key from the beginning; those without one are left out", async () => {
    const fixture = await startFailingModels(({ model }) => `by ${model}`);
    const { ANTHROPIC_API_KEY: _, ...environment } = fixture.options.environment;
    const cadre = await fixture.project.open({ ...fixture.options, environment });
    const fallbacks = ["openai:gpt-5", "spare:big"];
    const { text, warnings } = await cadre.run({
      agent: "main",
      task: "go",
      model: haiku,
      fallbacks,
    });
    expect(text).toBe("by big");
    expect(warnings).toEqual([
      `${haiku} needs a key: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or use another model. It continues with spare:big.`,
      "The fallback openai:gpt-5 cannot be used: openai:gpt-5 needs a key: set OPENAI_API_KEY, or use another model.",
    ]);
    const only = cadre.run({
      agent: "main",
      task: "go",
      model: haiku,
      fallbacks: ["openai:gpt-5"],
    });
    await expect(only).rejects.toMatchObject({ code: "model-unavailable" });
  });

  test("reserve and cost at the price of the model that is asked", async () => {
    const fixture = await startFailingModels(() => "answered", {
      models: { prices: { "spare:dear": { input: 1000, output: 1000 } } },
    });
    fixture.anthropic.answers = [overloaded];
    const cadre = await fixture.project.open(fixture.options);
    const request = { agent: "main", task: "go", fallbacks: ["spare:dear"] };
    // 10 input and 5 output tokens.
    expect((await cadre.run(request)).cost).toBeCloseTo(0.015);
    const bounded = await cadre.run({ ...request, budget: { usd: 0.01 } });
    expect(bounded.failure).toMatchObject({ code: "budget-exceeded" });
    expect(fixture.spare.turns).toHaveLength(1);
  });

  test("are at most ten, and refused in any other form", async () => {
    const { project, options } = await startFailingModels(() => "answered");
    const many = Array.from({ length: 11 }, () => "spare:big");
    await expect(project.open({ ...options, fallbacks: many })).rejects.toThrow(/fallbacks/);
    const cadre = await project.open(options);
    const run = cadre.run({ agent: "main", task: "go", fallbacks: "spare:big" as never });
    await expect(run).rejects.toThrow(/fallbacks/);
    const old = { specificationVersion: "v2" } as never;
    const wrong = cadre.run({ agent: "main", task: "go", fallbacks: [old] });
    await expect(wrong).rejects.toThrow(/`fallbacks` .* got specification v2/);
  });

  inThisProcess("A worker lacks the models of a request.")(
    "may be objects: of a request, of an agent, and of Cadre",
    async () => {
      const { project, options, anthropic } = await startFailingModels(() => "answered");
      anthropic.answers = [overloaded];
      const object = (name: string): ModelObject =>
        scriptedModel(() => ({ text: `by ${name}` }), { name });
      const own = { name: "own", description: "has its own", systemPrompt: "Answer." };
      const agents = [{ ...own, fallbacks: [object("agent")] }];
      const cadre = await project.open({ ...options, agents, fallbacks: [object("default")] });
      const texts = [
        await cadre.run({ agent: "own", task: "go", fallbacks: [object("request")] }),
        await cadre.run({ agent: "own", task: "go" }),
        await cadre.run({ agent: "main", task: "go" }),
      ].map(({ text }) => text);
      expect(texts).toEqual(["by request", "by agent", "by default"]);
    },
  );
});
