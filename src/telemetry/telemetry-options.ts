import type { MeterProvider, TracerProvider } from "@opentelemetry/api";

/** Where telemetry goes, and what it contains. */
export interface TelemetryOptions {
  /** Receives traces; usually with the `idGenerator` of `createIdGenerator`. Default: no traces. */
  tracerProvider?: TracerProvider;
  /** Receives metrics. Default: no metrics. */
  meterProvider?: MeterProvider;
  /**
   * Traces contain prompts, answers, and arguments and results of tools, without the secrets in `environment`. Default:
   * `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` of `environment`, else false.
   */
  captureContent?: boolean;
}
