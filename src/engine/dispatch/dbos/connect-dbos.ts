import type { ConnectDispatcher } from "../dispatcher.ts";

/** Connects to the queue in the tables of DBOS. Its code is loaded then: most processes need none of it. */
export const connectDbos: ConnectDispatcher = async (place) => {
  const { openDbosQueue } = await import("./dbos-dispatcher.ts");
  return await openDbosQueue(place);
};
