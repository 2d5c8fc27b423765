import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";

/** Creates the sampler that `OTEL_TRACES_SAMPLER` names. Default: follow the caller's decision, or else sample every trace. */
export function readSampler(environment: Readonly<Record<string, string | undefined>>): Sampler {
  const name = environment["OTEL_TRACES_SAMPLER"]?.trim() || "parentbased_always_on";
  const root = rootSampler(name.replace(/^parentbased_/, ""), environment);
  return name.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): Sampler {
  if (name === "always_off") return new AlwaysOffSampler();
  if (name !== "traceidratio") return new AlwaysOnSampler();
  const ratio = Number(environment["OTEL_TRACES_SAMPLER_ARG"] ?? 1);
  return new TraceIdRatioBasedSampler(ratio >= 0 && ratio <= 1 ? ratio : 1);
}
