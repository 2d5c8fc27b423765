// MCP resources: agents, runs and transcripts.

import {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import { type Cadre, CadreError, plainLine, type RunHandle, type RunOverview } from "../../host.ts";
import { agentsUri, readResourceUri, runsUri, runUri, transcriptUri } from "./resource-uri.ts";
import { describeTranscript } from "./transcript.ts";

const json = "application/json";
const markdown = "text/markdown";
const pageSize = 50;
const maxNameLength = 100;

/** Lists the agents, the list of runs, and every root run, newest first. */
export async function listResources(
  cadre: Cadre,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const offset = readCursor(cursor);
  const { runs, nextCursor } = await pageOfRuns(cadre, offset);
  const first = offset === 0 ? [agents, list] : [];
  return { resources: [...first, ...runs.map(toResource)], ...nextCursor };
}

const agents: Resource = {
  uri: agentsUri,
  name: "agents",
  title: "Agents",
  description: "Every agent that can be run, with the findings in their files.",
  mimeType: json,
};

const list: Resource = {
  uri: runsUri,
  name: "runs",
  title: "Runs",
  description: "The newest runs of the project.",
  mimeType: json,
};

/** Lists the URI templates of runs. */
export const resourceTemplates: ListResourceTemplatesResult = {
  resourceTemplates: [
    {
      uriTemplate: `${runsUri}/{id}`,
      name: "run",
      title: "Run",
      description: "The status of a run and its descendants, and its result.",
      mimeType: json,
    },
    {
      uriTemplate: `${runsUri}/{id}/transcript`,
      name: "transcript",
      title: "Transcript",
      description: "A readable transcript of a run, step by step.",
      mimeType: markdown,
    },
  ],
};

/** Returns a page of root runs, newest first, and the cursor of the next page. */
export async function pageOfRuns(
  cadre: Cadre,
  offset: number,
): Promise<{ runs: RunOverview[]; nextCursor: { nextCursor?: string } }> {
  const end = offset + pageSize;
  const runs = await cadre.runs({ rootsOnly: true, limit: end + 1 });
  const nextCursor = runs.length > end ? { nextCursor: String(end) } : {};
  return { runs: runs.slice(offset, end), nextCursor };
}

/** Parses the cursor of a page. */
export function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  const message = `Expected a cursor from this server; got ${JSON.stringify(plainLine(cursor, maxNameLength))}.`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function toResource(run: RunOverview): Resource {
  const { id, label, agent, task, status } = run;
  return {
    uri: runUri(id),
    name: plainLine(label ?? `${agent}: ${task}`, maxNameLength),
    description: `Run of ${agent}, ${status}.`,
    mimeType: json,
  };
}

/** Returns the content of a resource. */
export async function readResource(cadre: Cadre, uri: string): Promise<ReadResourceResult> {
  const name = readResourceUri(uri);
  if (name === undefined) throw new ResourceNotFoundError(uri);
  if (name.kind === "agents") return toJson(uri, await describeAgents(cadre));
  if (name.kind === "runs") {
    return toJson(uri, (await pageOfRuns(cadre, 0)).runs.map(summarize));
  }
  const handle = await findRun(cadre, name.id, uri);
  const run = await handle.state();
  if (name.kind === "run") {
    return toJson(uri, { run, family: (await cadre.tree(run.id)).map(summarize) });
  }
  const text = describeTranscript(run, await handle.journal());
  return { contents: [{ uri, mimeType: markdown, text }] };
}

async function findRun(cadre: Cadre, id: string, uri: string): Promise<RunHandle> {
  try {
    return await cadre.find(id);
  } catch (error) {
    if (error instanceof CadreError && error.code === "run-not-found") {
      throw new ResourceNotFoundError(uri);
    }
    throw error;
  }
}

async function describeAgents(cadre: Cadre): Promise<unknown> {
  const { agents: usable, all } = await cadre.agents();
  const names = new Set(usable);
  return all.map((agent) => {
    const { name, description, model, tools, source, diagnostics } = agent;
    return { name, description, model, tools, source, isUsable: names.has(agent), diagnostics };
  });
}

function summarize(run: RunOverview): unknown {
  const { id, parentId, label, agent, task, status, model, createdAt, endedAt, cost } = run;
  const about = { id, parentId, label, agent, task, status, model, cost };
  return {
    ...about,
    createdAt: new Date(createdAt).toISOString(),
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
    transcript: transcriptUri(id),
  };
}

function toJson(uri: string, value: unknown): ReadResourceResult {
  return { contents: [{ uri, mimeType: json, text: JSON.stringify(value, null, 2) }] };
}
