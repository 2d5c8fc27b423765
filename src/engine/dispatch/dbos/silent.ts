import type { DLogger } from "@dbos-inc/dbos-sdk";

/** A logger that writes nothing: what fails in the queue shows where Cadre uses it. */
export const silent: DLogger = {
  info: () => undefined,
  debug: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
