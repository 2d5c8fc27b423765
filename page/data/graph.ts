/** A family as a graph: the runs that started, waited for or caused each other, and the pipeline events between them. */

import { Graph, layout } from "@dagrejs/dagre";
import type { ServedRun, StepSpan } from "./types.ts";

/** A run or a pipeline event. */
export type GraphNode = { id: string } & (
  | { kind: "run"; run: ServedRun }
  | { kind: "event"; title: string }
);

/** A connection from one node to another. */
export interface GraphEdge {
  from: string;
  to: string;
  kind: "started" | "dependency" | "event";
}

/** The maximum number of runs in a graph. A larger graph is not readable. */
export const maxNodes = 150;

/**
 * Returns the graph of `root` and the runs below it, at most {@link maxNodes} of them in order of creation. `stepsOf` has the steps
 * of the runs that were read; pipeline events are among them.
 */
export function buildGraph(
  runs: readonly ServedRun[],
  root: string,
  stepsOf: ReadonlyMap<string, readonly StepSpan[]>,
): { nodes: GraphNode[]; edges: GraphEdge[]; hidden: number } {
  const all = selectBelow(runs, root);
  const shown = all.slice(0, maxNodes);
  const ids = new Set(shown.map(({ id }) => id));
  const nodes: GraphNode[] = shown.map((run) => ({ id: run.id, kind: "run", run }));
  const edges: GraphEdge[] = [];
  const caused = new Map<string, string>();
  for (const { id } of shown) {
    addEvents(id, { shown, steps: stepsOf.get(id) ?? [], nodes, edges, caused });
  }
  for (const run of shown) {
    const before = run.dependsOn.filter((id) => ids.has(id));
    edges.push(...before.map((from): GraphEdge => ({ from, to: run.id, kind: "dependency" })));
    const isCaused = caused.has(run.id) || before.length > 0;
    const { parentId } = run;
    if (!isCaused && parentId !== null && ids.has(parentId)) {
      edges.push({ from: parentId, to: run.id, kind: "started" });
    }
  }
  return { nodes, edges, hidden: all.length - shown.length };
}

function selectBelow(runs: readonly ServedRun[], root: string): ServedRun[] {
  const wanted = new Set([root]);
  // A run is created after its parent.
  return runs.filter(({ id, parentId }) => {
    const isBelow = wanted.has(id) || (parentId !== null && wanted.has(parentId));
    if (isBelow) wanted.add(id);
    return isBelow;
  });
}

interface Events {
  shown: readonly ServedRun[];
  steps: readonly StepSpan[];
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** The event that started each run. */
  caused: Map<string, string>;
}

/** Adds the events that the pipeline `id` dispatched, each from the run that emitted it to the runs that it started. */
function addEvents(id: string, { shown, steps, nodes, edges, caused }: Events): void {
  const children = shown.filter(({ parentId }) => parentId === id);
  /** The latest run of each pipeline agent. */
  const emitters = new Map<string, string>();
  for (const { kind, key, title, emittedBy = null, heardBy = [] } of steps) {
    if (kind !== "event") continue;
    const started = children
      .filter(({ parentStep }) => parentStep?.startsWith(`${key}/`) === true)
      .toSorted((one, other) => numberOf(one) - numberOf(other));
    const emitter = emittedBy === null ? undefined : emitters.get(emittedBy);
    // An event without listeners is shown only when an agent emitted it.
    if (started.length === 0 && emitter === undefined) continue;
    const event = `${id} ${key}`;
    nodes.push({ id: event, kind: "event", title });
    edges.push({ from: emitter ?? id, to: event, kind: "event" });
    for (const run of started) {
      caused.set(run.id, event);
      edges.push({ from: event, to: run.id, kind: "event" });
    }
    for (const [index, name] of heardBy.entries()) {
      const run = started[index];
      if (run !== undefined) emitters.set(name, run.id);
    }
  }
}

/** Returns the position of an agent in its pipeline's list, from the end of its step. */
function numberOf({ parentStep }: ServedRun): number {
  return Number(parentStep?.slice(parentStep.lastIndexOf("/") + 1));
}

/** The layout of a graph, in pixels. */
export interface Drawing {
  width: number;
  height: number;
  /** The top left corner of each node. */
  places: ReadonlyMap<string, { x: number; y: number }>;
  /** The points of each edge, in the order of the edges. */
  lines: readonly (readonly { x: number; y: number }[])[];
}

/** The sizes of nodes, in pixels. */
export const nodeSizes = {
  run: { width: 190, height: 52 },
  event: { width: 140, height: 28 },
} as const;

/** Lays out a graph from left to right. */
export function draw(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Drawing {
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 44, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, kind } of nodes) graph.setNode(id, { ...nodeSizes[kind] });
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const places = nodes.map(({ id, kind }): [string, { x: number; y: number }] => {
    const { x, y } = graph.node(id) as { x: number; y: number };
    const size = nodeSizes[kind];
    return [id, { x: x - size.width / 2, y: y - size.height / 2 }];
  });
  const positionOf = new Map(places);
  const kinds = new Map(nodes.map(({ id, kind }) => [id, kind]));
  const side = (id: string, part: 0 | 1): { x: number; y: number } => {
    const { x, y } = positionOf.get(id) ?? { x: 0, y: 0 };
    const size = nodeSizes[kinds.get(id) ?? "run"];
    return { x: x + part * size.width, y: y + size.height / 2 };
  };
  // From the right side of one node to the left side of the other, along the path between them.
  const lines = edges.map(({ from, to }) => {
    const { points } = graph.edge(from, to) as { points: { x: number; y: number }[] };
    return [side(from, 1), ...points.slice(1, -1), side(to, 0)];
  });
  return { width, height, places: positionOf, lines };
}
