import type { DLogger } from "@dbos-inc/dbos-sdk";

/** A logger that writes nothing. Cadre reports failures of the queue where it uses the queue. */
export const silent: DLogger = {
  info: () => undefined,
  debug: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
