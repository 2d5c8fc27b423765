/** Telemetry for programs with their own providers (`cadre/telemetry`). */
export { createIdGenerator, type SpanIdGenerator } from "./telemetry/span/ids.ts";
export type { TelemetryOptions } from "./telemetry/telemetry-options.ts";
