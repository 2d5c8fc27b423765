import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isShort } from "./is-short.ts";
import { comparePairs } from "./pairs.ts";

/** Compares Cadre with and without telemetry to a collector that only responds: CPU per step, in pairs. */
const collector = createServer((request, response) => {
  request.resume().on("end", () => response.end());
});
collector.listen(0, "127.0.0.1");
await once(collector, "listening");
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
const changed = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
await comparePairs({ name: "telemetry", agents: 300, pairs: isShort ? 1 : 5, changed });
collector.closeAllConnections();
collector.close();
