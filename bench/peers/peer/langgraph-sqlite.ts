import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureLangGraph } from "./langgraph-agent.ts";

/** LangGraph with its SQLite checkpointer in its own configuration of SQLite: WAL, `synchronous=NORMAL`. */
const folder = await mkdtemp(join(tmpdir(), "cadre-bench-"));
await measureLangGraph(SqliteSaver.fromConnString(join(folder, "checkpoints.sqlite")));
await rm(folder, { recursive: true, force: true });
