import type { Telemetry, TelemetryServices } from "./create-telemetry.ts";
import type { TelemetrySdk } from "./sdk/start-sdk.ts";
import { readTelemetrySetup, type TelemetrySetup } from "./sdk/read-setup.ts";
import type { TelemetryOptions } from "./telemetry-options.ts";

/** The exporters of this process. Every Cadre with the option `"environment"` uses them, such as those of a server's clients. */
let shared: { sdk: Promise<TelemetrySdk>; users: number } | undefined;

let isWarned = false;

/** Opens the telemetry that the option `telemetry` of `createCadre` describes; `undefined` = none, and nothing is loaded. */
export async function openTelemetry(
  option: TelemetryOptions | "environment",
  place: TelemetryServices,
): Promise<Telemetry | undefined> {
  if (option !== "environment") return await create(option, place, () => Promise.resolve());
  const setup = readTelemetrySetup(place.environment);
  if (setup.problem !== null) {
    if (!isWarned) process.emitWarning(`Telemetry is off: ${setup.problem}`);
    isWarned = true;
    return undefined;
  }
  if (setup.traces === null && setup.metrics === null) return undefined;
  const sdk = await acquire(setup, place);
  return await create(sdk, place, release);
}

async function create(
  options: TelemetryOptions,
  place: TelemetryServices,
  close: Telemetry["close"],
): Promise<Telemetry> {
  const { createTelemetry } = await import("./create-telemetry.ts");
  return { ...createTelemetry(options, place), close };
}

async function acquire(setup: TelemetrySetup, place: TelemetryServices): Promise<TelemetrySdk> {
  shared ??= {
    sdk: import("./sdk/start-sdk.ts").then(({ startSdk }) => startSdk(setup, place)),
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
