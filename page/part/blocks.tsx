import { memo, type ReactNode } from "react";
import type { Block } from "../data/conversation.ts";
import { Diff, readChange } from "./diff.tsx";
import { Markdown } from "./markdown.tsx";

/** Additional parts of a conversation. */
export interface BlockExtras {
  /** Added to the texts of a step, such as a form to fork from it. */
  afterText?: (step: string) => ReactNode;
  /** Added to the call of a step, such as the run that it started. */
  afterCall?: (step: string) => ReactNode;
}

/** Shows a conversation. */
export function Blocks({
  blocks,
  afterText,
  afterCall,
}: { blocks: readonly Block[] } & BlockExtras): ReactNode {
  return (
    <ol className="blocks">
      {blocks.map((block) => (
        <li key={block.id} className={`block ${block.kind}`}>
          <BlockView block={block} />
          {block.kind === "text" && afterText?.(block.step)}
          {block.kind === "call" && afterCall?.(block.id)}
        </li>
      ))}
    </ol>
  );
}

/** Most blocks stay the same while a reply arrives. */
const BlockView = memo(function BlockView({ block }: { block: Block }): ReactNode {
  switch (block.kind) {
    case "task":
      return (
        <>
          <span className="who">Task for {block.agent}</span>
          <p className="said">{block.text}</p>
        </>
      );
    case "text":
      return <Markdown text={block.text} />;
    case "reasoning":
      return (
        <details>
          <summary>Reasoning</summary>
          <p className="said">{block.text}</p>
        </details>
      );
    case "call":
      return <Call block={block} />;
    case "message":
      return (
        <>
          <span className="who">Message from {block.from}</span>
          <p className="said">{block.text}</p>
        </>
      );
    case "note":
      return <p className={block.isProblem ? "problem" : "faint"}>{block.text}</p>;
  }
});

function Call({
  block: { tool, input, output, result },
}: {
  block: Extract<Block, { kind: "call" }>;
}): ReactNode {
  const change = readChange(input);
  const sign = result === null ? "●" : result.isError ? "✗" : "✓";
  return (
    <details>
      <summary>
        <span className={result?.isError === true ? "failed" : ""} aria-hidden="true">
          {sign}
        </span>{" "}
        <span className="who">{tool}</span> <span className="faint">{describeInput(input)}</span>
        {result?.isError === true && <span className="unseen">failed</span>}
      </summary>
      {change === null ? <pre>{JSON.stringify(input, null, 2)}</pre> : <Diff change={change} />}
      {output !== "" && <pre>{output}</pre>}
      {result !== null && <pre className={result.isError ? "problem" : ""}>{result.text}</pre>}
    </details>
  );
}

/** The first text among the arguments says what a call is about. */
function describeInput(input: unknown): string {
  if (typeof input === "string") return firstLine(input);
  if (typeof input !== "object" || input === null) return "";
  const text = Object.values(input).find((value) => typeof value === "string");
  return firstLine(text ?? "");
}

/** The first line of a text, at most 160 characters of it. */
function firstLine(text: string): string {
  const [line = ""] = text.trim().split("\n", 1);
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}
