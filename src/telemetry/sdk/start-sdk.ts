// The OpenTelemetry SDK, for telemetry that the variables `OTEL_*` turn on.

import type { MeterProvider, TracerProvider } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import {
  MeterProvider as SdkMeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from "@opentelemetry/sdk-metrics";
import {
  BatchSpanProcessor,
  type SpanExporter,
  TracerProvider as SdkTracerProvider,
} from "@opentelemetry/sdk-trace";
import { createIdGenerator } from "../span/ids.ts";
import { type CarefulExports, createCarefulExports } from "./careful-exporter.ts";
import { describeProcess } from "./describe-process.ts";
import { readSampler } from "./read-sampler.ts";
import type { OtlpProtocol, TelemetrySetup } from "./read-setup.ts";

/** Providers that export over OTLP. */
export interface TelemetrySdk {
  tracerProvider?: TracerProvider;
  meterProvider?: MeterProvider;
  /** Sends the remaining spans, for at most two seconds. */
  close(): Promise<void>;
}

/** Options of {@link startSdk}. */
export interface SdkOptions {
  environment: Readonly<Record<string, string | undefined>>;
  version: string;
}

const farewellMs = 2000;
/** The delay between exports, in milliseconds. A killed process loses the spans of this time. */
const spanDelayMs = 500;
const metricIntervalMs = 60_000;
const maxQueuedSpans = 16_384;

/** Starts the exporters of `setup`. They read their own variables from the process environment. */
export async function startSdk(setup: TelemetrySetup, options: SdkOptions): Promise<TelemetrySdk> {
  const careful = createCarefulExports((problem) =>
    process.emitWarning(
      `Telemetry could not be sent: ${problem}. Runs are not affected, and further failures are not reported. Check OTEL_EXPORTER_OTLP_ENDPOINT, or set OTEL_SDK_DISABLED=true.`,
    ),
  );
  const resource = describeProcess(options);
  const { environment } = options;
  const traces =
    setup.traces && (await startTraces(setup.traces, { careful, resource, environment }));
  const metrics =
    setup.metrics && (await startMetrics(setup.metrics, { careful, resource, environment }));
  return {
    ...(traces !== null && { tracerProvider: traces }),
    ...(metrics !== null && { meterProvider: metrics }),
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, farewellMs);
      const ends = Promise.allSettled([traces?.shutdown(), metrics?.shutdown()]);
      await Promise.race([ends, promise]);
      clearTimeout(timer);
      careful.abandon();
    },
  };
}

interface SignalOptions extends Pick<SdkOptions, "environment"> {
  careful: CarefulExports;
  resource: Resource;
}

async function startTraces(
  protocol: OtlpProtocol,
  { careful, resource, environment }: SignalOptions,
): Promise<SdkTracerProvider> {
  const { OTLPTraceExporter } = await (protocol === "http/json"
    ? import("@opentelemetry/exporter-trace-otlp-http")
    : import("@opentelemetry/exporter-trace-otlp-proto"));
  const exporter: SpanExporter = careful.wrap(new OTLPTraceExporter());
  const processor = new BatchSpanProcessor({
    exporter,
    scheduledDelayMillis: readMs(environment["OTEL_BSP_SCHEDULE_DELAY"], spanDelayMs),
    maxQueueSize: maxQueuedSpans,
  });
  const sampler = readSampler(environment);
  const idGenerator = createIdGenerator();
  return new SdkTracerProvider({ resource, sampler, idGenerator, spanProcessors: [processor] });
}

async function startMetrics(
  protocol: OtlpProtocol,
  { careful, resource, environment }: SignalOptions,
): Promise<SdkMeterProvider> {
  const { OTLPMetricExporter } = await (protocol === "http/json"
    ? import("@opentelemetry/exporter-metrics-otlp-http")
    : import("@opentelemetry/exporter-metrics-otlp-proto"));
  const exporter: PushMetricExporter = careful.wrap(new OTLPMetricExporter());
  const exportIntervalMillis = readMs(environment["OTEL_METRIC_EXPORT_INTERVAL"], metricIntervalMs);
  const exportTimeoutMillis = Math.min(30_000, exportIntervalMillis);
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis,
    exportTimeoutMillis,
  });
  return new SdkMeterProvider({ resource, readers: [reader] });
}

function readMs(text: string | undefined, fallback: number): number {
  const value = Number(text ?? "");
  return text !== undefined && text.trim() !== "" && Number.isInteger(value) && value > 0
    ? value
    : fallback;
}
