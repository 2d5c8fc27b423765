/** An OTLP transport that Cadre supports. */
export type OtlpProtocol = "http/protobuf" | "http/json";

/** The telemetry that the variables `OTEL_*` configure. */
export interface TelemetrySetup {
  /** The protocol of each signal; `null` when the signal is not exported. */
  traces: OtlpProtocol | null;
  metrics: OtlpProtocol | null;
  /** Why telemetry is off although a variable turns it on; `null` when there is no problem. */
  problem: string | null;
}

/** The environment variables that configure telemetry, by name. */
export type TelemetryVariables = Readonly<Record<string, string | undefined>>;

const off: TelemetrySetup = { traces: null, metrics: null, problem: null };

/**
 * Reads which signals are exported. A signal is exported when its exporter is `otlp`, or when an endpoint is set and its exporter
 * is not `none`. Loads no code of OpenTelemetry.
 */
export function readTelemetrySetup(environment: TelemetryVariables): TelemetrySetup {
  const get = (name: string): string => environment[name]?.trim() ?? "";
  if (get("OTEL_SDK_DISABLED").toLowerCase() === "true") return off;
  try {
    return {
      traces: readSignal("TRACES", get),
      metrics: readSignal("METRICS", get),
      problem: null,
    };
  } catch (error) {
    if (error instanceof SetupProblem) return { ...off, problem: error.message };
    throw error;
  }
}

class SetupProblem extends Error {}

function readSignal(signal: string, get: (name: string) => string): OtlpProtocol | null {
  const endpoints = [`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, "OTEL_EXPORTER_OTLP_ENDPOINT"];
  const endpoint = endpoints.find((name) => get(name) !== "");
  const exporter = get(`OTEL_${signal}_EXPORTER`) || (endpoint === undefined ? "none" : "otlp");
  if (exporter === "none") return null;
  if (exporter !== "otlp") {
    throw new SetupProblem(
      `OTEL_${signal}_EXPORTER is ${JSON.stringify(exporter)}; expected otlp or none. Set it to otlp, and OTEL_EXPORTER_OTLP_ENDPOINT to the collector.`,
    );
  }
  if (endpoint !== undefined && !/^https?:\/\//.test(get(endpoint))) {
    throw new SetupProblem(
      `${endpoint} is not an http or https URL. Set it to the collector's, such as http://localhost:4318.`,
    );
  }
  return readProtocol(signal, get);
}

function readProtocol(signal: string, get: (name: string) => string): OtlpProtocol {
  const names = [`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`, "OTEL_EXPORTER_OTLP_PROTOCOL"];
  const name = names.find((one) => get(one) !== "");
  const protocol = name === undefined ? "http/protobuf" : get(name);
  if (protocol === "http/protobuf" || protocol === "http/json") return protocol;
  throw new SetupProblem(
    `${name} is ${JSON.stringify(protocol)}; expected http/protobuf or http/json. Collectors serve them at port 4318.`,
  );
}

/** Describes on one line whether telemetry is on. */
export function describeTelemetry(environment: TelemetryVariables): string {
  const { traces, metrics, problem } = readTelemetrySetup(environment);
  if (problem !== null) return `off: ${problem}`;
  const signals = Object.entries({ traces, metrics }).filter(([, protocol]) => protocol !== null);
  if (signals.length === 0) return "off";
  return `on: ${signals.map(([signal, protocol]) => `${signal} over ${protocol}`).join(", ")}`;
}
