import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";

/** Describes the process for the backend. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` override the name `cadre`. */
export function describeProcess({ version }: { version: string }): Resource {
  const own = resourceFromAttributes({
    "service.name": "cadre",
    "service.version": version,
    "service.instance.id": crypto.randomUUID(),
  });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}
