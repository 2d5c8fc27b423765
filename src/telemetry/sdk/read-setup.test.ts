import { expect, test } from "vitest";
import { describeTelemetry, readTelemetrySetup } from "./read-setup.ts";

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318" };

test.each([
  [{}, "off"],
  [{ OTEL_SERVICE_NAME: "shop" }, "off"],
  [endpoint, "on: traces over http/protobuf, metrics over http/protobuf"],
  [{ ...endpoint, OTEL_METRICS_EXPORTER: "none" }, "on: traces over http/protobuf"],
  [{ ...endpoint, OTEL_SDK_DISABLED: "TRUE" }, "off"],
  [{ OTEL_TRACES_EXPORTER: "otlp" }, "on: traces over http/protobuf"],
  [
    { ...endpoint, OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/json" },
    "on: traces over http/protobuf, metrics over http/json",
  ],
  [
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://collector.example/v1/traces" },
    "on: traces over http/protobuf",
  ],
])("the variables %j mean %s", (environment, expected) => {
  expect(describeTelemetry(environment)).toBe(expected);
});

test.each([
  [{ OTEL_TRACES_EXPORTER: "console" }, 'OTEL_TRACES_EXPORTER is "console"; expected otlp or none'],
  [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, 'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4317" }, "is not an http or https URL"],
])("the variables %j are a problem that is named, and nothing is exported", (environment, text) => {
  const setup = readTelemetrySetup(environment);
  expect(setup).toMatchObject({ traces: null, metrics: null });
  expect(setup.problem).toContain(text);
});
