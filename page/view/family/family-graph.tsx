import { type ReactNode, useMemo, useState } from "react";
import { useQueries } from "@tanstack/react-query";
import { formatDuration, formatNumberOf } from "../../../src/cli/view/format-value.ts";
import { endOf, nameOf } from "../../data/family.ts";
import {
  buildGraph,
  draw,
  type Drawing,
  type GraphEdge,
  type GraphNode,
  maxNodes,
  nodeSizes,
} from "../../data/graph.ts";
import { stepsQuery } from "../../data/queries.ts";
import { addressOf } from "../../data/route.ts";
import type { ServedRun, StepSpan } from "../../data/types.ts";
import { Status } from "../../part/status.tsx";
import { ZoomButtons } from "../../part/zoom-buttons.tsx";

/** The runs that started, waited for or caused each other. A large family is shown from the selected run down. */
export function FamilyGraph({
  runs,
  selected,
  now,
}: {
  runs: readonly ServedRun[];
  selected: ServedRun;
  now: number;
}): ReactNode {
  const [scale, setScale] = useState(1);
  const root = runs.length > maxNodes ? selected.id : (runs[0]?.id ?? selected.id);
  const stepsOf = useStepsOfParents(runs, root);
  const { nodes, edges, hidden, drawing } = useMemo(() => {
    const graph = buildGraph(runs, root, stepsOf);
    return { ...graph, drawing: draw(graph.nodes, graph.edges) };
  }, [runs, root, stepsOf]);
  const { width, height, places } = drawing;
  return (
    <>
      <div className="graph-bar">
        <p className="faint">
          {hidden > 0
            ? `The first ${maxNodes} runs below ${nameOf(selected)}; ${hidden} more are in the timeline.`
            : "Grey: started. Blue: waited for. Violet: an event of a pipeline."}
        </p>
        <ZoomButtons
          label="Size"
          more="Larger"
          less="Smaller"
          onZoom={(factor) => setScale(scale * Math.sqrt(factor))}
        />
      </div>
      <div className="graph" tabIndex={0} role="region" aria-label="Graph">
        <div style={{ width: width * scale, height: height * scale }}>
          <div className="canvas" style={{ width, height, transform: `scale(${scale})` }}>
            <Edges edges={edges} drawing={drawing} />
            {nodes.map((node) => (
              <div
                key={node.id}
                className={`node ${node.kind}`}
                style={{
                  ...nodeSizes[node.kind],
                  left: places.get(node.id)?.x,
                  top: places.get(node.id)?.y,
                }}
              >
                <Node node={node} isSelected={node.id === selected.id} now={now} />
              </div>
            ))}
          </div>
        </div>
      </div>
    </>
  );
}

function Edges({
  edges,
  drawing: { width, height, lines },
}: {
  edges: readonly GraphEdge[];
  drawing: Drawing;
}): ReactNode {
  return (
    <svg width={width} height={height} aria-hidden="true">
      <defs>
        <marker
          id="arrow"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          orient="auto"
        >
          <path d="M0 0 8 4 0 8z" fill="context-stroke" />
        </marker>
      </defs>
      {lines.map((points, index) => (
        <path
          key={index}
          className={`edge ${edges[index]?.kind ?? ""}`}
          d={pathOf(points)}
          markerEnd="url(#arrow)"
        />
      ))}
    </svg>
  );
}

function Node({
  node,
  isSelected,
  now,
}: {
  node: GraphNode;
  isSelected: boolean;
  now: number;
}): ReactNode {
  if (node.kind === "event") return <span title="An event of the pipeline">{node.title}</span>;
  const { run } = node;
  const took = formatDuration(endOf(run, now) - (run.startedAt ?? run.createdAt));
  return (
    <a
      href={addressOf("runs", run.id)}
      aria-current={isSelected ? "true" : undefined}
      title={run.title ?? run.task}
    >
      <span>
        <Status run={run} isShort /> <strong>{nameOf(run)}</strong>
      </span>
      <small>
        {took} · {run.title ?? run.task}
        <span className="unseen">{formatNumberOf(run.runs, "run")}</span>
      </small>
    </a>
  );
}

/** The steps of the runs that started others. They contain the pipeline events. */
function useStepsOfParents(
  runs: readonly ServedRun[],
  root: string,
): ReadonlyMap<string, readonly StepSpan[]> {
  const parents = useMemo(() => {
    const all = runs.flatMap(({ parentId, parentStep }) =>
      parentId !== null && parentStep?.startsWith("pipeline/") === true ? [parentId] : [],
    );
    return [...new Set([...all, root])].slice(0, maxNodes);
  }, [runs, root]);
  return useQueries({
    queries: parents.map((id) => stepsQuery(id)),
    combine: (found) => combineSteps(parents, found),
  });
}

function combineSteps(
  parents: readonly string[],
  found: readonly { data: { steps: readonly StepSpan[] } | undefined }[],
): ReadonlyMap<string, readonly StepSpan[]> {
  return new Map(parents.map((id, index) => [id, found[index]?.data?.steps ?? []]));
}

/** Returns a curve that leaves and arrives horizontally, from left to right. */
function pathOf(points: readonly { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  let before = first;
  const curves = rest.map((point) => {
    const middle = (before.x + point.x) / 2;
    const curve = `C${middle} ${before.y} ${middle} ${point.y} ${point.x} ${point.y}`;
    before = point;
    return curve;
  });
  return `M${first.x} ${first.y}${curves.join("")}`;
}
