import type { ConnectDispatcher } from "../dispatcher.ts";

/** Connects to the queue in the tables of DBOS. Loads its code, which most processes do not need. */
export const connectDbos: ConnectDispatcher = async (address) => {
  const { openDbosQueue } = await import("./dbos-dispatcher.ts");
  return await openDbosQueue(address);
};
