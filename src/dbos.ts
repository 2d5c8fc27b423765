/** Workers on several machines, over DBOS Transact and a registry in PostgreSQL (`cadre/dbos`). */
export { dbos, type DbosOptions } from "./engine/dispatch/dbos/dbos.ts";
export type { WaitingFamily } from "./registry/waiting-family.ts";
export { listWork, type WorkerOverview, type WorkOverview } from "./worker/list-work.ts";
export { migrateQueue } from "./engine/dispatch/dbos/migrate-queue.ts";
export { startWorker, type Worker, type WorkerOptions } from "./worker/worker.ts";
