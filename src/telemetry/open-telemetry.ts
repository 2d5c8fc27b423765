import type { Telemetry, TelemetryServices } from "./create-telemetry.ts";
import type { TelemetrySdk } from "./sdk/start-sdk.ts";
import { readTelemetrySetup, type TelemetrySetup } from "./sdk/read-setup.ts";
import type { TelemetryOptions } from "./telemetry-options.ts";

/** The exporters of this process. Every Cadre with the option `"environment"` shares them, for example those of a server's clients. */
let shared: { sdk: Promise<TelemetrySdk>; users: number } | undefined;

let isWarned = false;

/** Opens the telemetry that `createCadre`'s option `telemetry` describes; `undefined` for none, in which case nothing is loaded. */
export async function openTelemetry(
  option: TelemetryOptions | "environment",
  services: TelemetryServices,
): Promise<Telemetry | undefined> {
  if (option !== "environment") return await create(option, services, () => Promise.resolve());
  const setup = readTelemetrySetup(services.environment);
  if (setup.problem !== null) {
    if (!isWarned) process.emitWarning(`Telemetry is off: ${setup.problem}`);
    isWarned = true;
    return undefined;
  }
  if (setup.traces === null && setup.metrics === null) return undefined;
  const sdk = await acquire(setup, services);
  return await create(sdk, services, release);
}

async function create(
  options: TelemetryOptions,
  services: TelemetryServices,
  close: Telemetry["close"],
): Promise<Telemetry> {
  const { createTelemetry } = await import("./create-telemetry.ts");
  return { ...createTelemetry(options, services), close };
}

async function acquire(setup: TelemetrySetup, services: TelemetryServices): Promise<TelemetrySdk> {
  shared ??= {
    sdk: import("./sdk/start-sdk.ts").then(({ startSdk }) => startSdk(setup, services)),
    users: 0,
  };
  shared.users += 1;
  return await shared.sdk;
}

async function release(): Promise<void> {
  if (shared === undefined) return;
  shared.users -= 1;
  if (shared.users > 0) return;
  const { sdk } = shared;
  shared = undefined;
  await (await sdk).close();
}
