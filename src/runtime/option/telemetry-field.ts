import type { z } from "zod";
import { closedObject } from "../../source/closed-object.ts";
import { isRecord } from "../../source/json.ts";
import { field, flag } from "./field.ts";

const providers = (): z.ZodType =>
  closedObject({
    tracerProvider: field("a tracer provider of OpenTelemetry", hasMethod("getTracer")).optional(),
    meterProvider: field("a meter provider of OpenTelemetry", hasMethod("getMeter")).optional(),
    captureContent: flag.optional(),
  });

/** The option `telemetry`. */
export const telemetryField: z.ZodType = field(
  "`environment`, or an object with tracerProvider and meterProvider",
  (value) => value === "environment" || isRecord(value),
).superRefine((value, context) => {
  if (!isRecord(value)) return;
  for (const { path, message } of providers().safeParse(value).error?.issues ?? []) {
    context.addIssue({ code: "custom", path: [...path], message });
  }
});

function hasMethod(name: string): (value: unknown) => boolean {
  return (value) => isRecord(value) && typeof value[name] === "function";
}
