import { measureLangGraph } from "./langgraph-agent.ts";

await measureLangGraph();
