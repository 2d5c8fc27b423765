import type { Attributes, Meter } from "@opentelemetry/api";
import type { Usage } from "../run/usage.ts";

/** Records metrics of runs. Durations are in seconds. */
export interface Metrics {
  /** Counts a model request that ended, recorded or failed. */
  request(about: Attributes, durationSeconds: number): void;
  /** Adds the tokens and the cost of a request, including a request without an answer. */
  spend(about: Attributes, usage: Usage, cost: number | null): void;
  retry(about: Attributes): void;
  call(about: Attributes, durationSeconds: number): void;
  /** Counts a run that got its slot. */
  start(about: Attributes, queuedSeconds: number): void;
  end(about: Attributes, durationSeconds: number): void;
}

/** The bucket boundaries that the conventions recommend. */
const seconds = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const tokens = Array.from({ length: 14 }, (_, power) => 4 ** power);

/** Creates the instruments of a meter. */
export function createMetrics(meter: Meter): Metrics {
  const histogram = (name: string, unit: string, description: string) =>
    meter.createHistogram(name, {
      unit,
      description,
      advice: { explicitBucketBoundaries: unit === "s" ? seconds : tokens },
    });
  const count = (name: string, unit: string, description: string) =>
    meter.createCounter(name, { unit, description });

  const requests = histogram(
    "gen_ai.client.operation.duration",
    "s",
    "Duration of model requests.",
  );
  const usages = histogram("gen_ai.client.token.usage", "{token}", "Tokens of a model request.");
  const calls = histogram("gen_ai.execute_tool.duration", "s", "Duration of tool calls.");
  const runs = histogram("gen_ai.invoke_agent.duration", "s", "Duration of runs, waits included.");
  const queued = histogram("cadre.run.queue.duration", "s", "Wait of a run for its start.");
  const ended = count("cadre.run.count", "{run}", "Runs that ended.");
  const costs = count("cadre.cost", "USD", "Cost of model requests with a known price.");
  const retries = count("cadre.model.retries", "{retry}", "Retries of model requests.");
  const spent = (name: string, description: string) =>
    count(`gen_ai.client.inference.usage.${name}`, "{token}", description);
  const input = spent("input_tokens", "Input tokens, cached ones included.");
  const output = spent("output_tokens", "Output tokens, reasoning included.");
  const read = spent("cache_read.input_tokens", "Input tokens read from the provider's cache.");
  const written = spent(
    "cache_write.input_tokens",
    "Input tokens written to the provider's cache.",
  );
  const reasoning = spent("reasoning.output_tokens", "Output tokens spent on reasoning.");

  return {
    request: (about, duration) => requests.record(duration, about),
    spend(about, usage, cost) {
      usages.record(usage.inputTokens, { ...about, "gen_ai.token.type": "input" });
      usages.record(usage.outputTokens, { ...about, "gen_ai.token.type": "output" });
      const counted = { ...about, "gen_ai.token.modality": "unknown" };
      input.add(usage.inputTokens, counted);
      output.add(usage.outputTokens, counted);
      read.add(usage.cacheReadTokens, counted);
      written.add(usage.cacheWriteTokens, counted);
      reasoning.add(usage.reasoningTokens, counted);
      if (cost !== null) costs.add(cost, about);
    },
    retry: (about) => retries.add(1, about),
    call: (about, duration) => calls.record(duration, about),
    start: (about, duration) => queued.record(duration, about),
    end(about, duration) {
      ended.add(1, about);
      runs.record(duration, about);
    },
  };
}
