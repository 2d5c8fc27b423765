import type { MeterProvider, TracerProvider } from "@opentelemetry/api";

/** The destinations and the content of telemetry. */
export interface TelemetryOptions {
  /** Receives traces. It usually has the `idGenerator` of `createIdGenerator`. Default: no traces. */
  tracerProvider?: TracerProvider;
  /** Receives metrics. Default: no metrics. */
  meterProvider?: MeterProvider;
  /**
   * Whether traces contain prompts, answers, and arguments and results of tools, without the secrets in `environment`. Default:
   * `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` of `environment`, or else false.
   */
  captureContent?: boolean;
}
