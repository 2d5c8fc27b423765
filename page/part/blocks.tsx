import { memo, type ReactNode, useState } from "react";
import { cutFirstLine } from "../data/format.ts";
import type { Block } from "../data/conversation.ts";
import { Diff, readChange } from "./diff.tsx";
import { Markdown } from "./markdown.tsx";

/** Additional parts of a conversation. */
export interface BlockExtras {
  /** Returns content for the end of each step, such as a form to fork from it. */
  afterStep?: (step: string) => ReactNode;
  /** Returns what to show for a call, such as the run that it started, with the call inside; `null` to show only the call. */
  ofCall?: (step: string, call: ReactNode) => ReactNode;
  /** Returns the images in the result of a call. */
  imagesOf?: (step: string) => ReactNode;
}

/** Shows a conversation. */
export function Blocks({
  blocks,
  ...extras
}: { blocks: readonly Block[] } & BlockExtras): ReactNode {
  return (
    <ol className="blocks">
      {blocks.map((block) => (
        <li key={block.id} className={`block ${block.kind}`}>
          <BlockWithExtras block={block} extras={extras} />
        </li>
      ))}
    </ol>
  );
}

function BlockWithExtras({
  block,
  extras: { afterStep, ofCall, imagesOf },
}: {
  block: Block;
  extras: BlockExtras;
}): ReactNode {
  if (block.kind !== "call") {
    return (
      <>
        <BlockView block={block} />
        {block.kind === "text" && afterStep?.(block.step)}
      </>
    );
  }
  const call = <BlockView block={block} images={imagesOf?.(block.id) ?? null} />;
  return (
    <>
      {ofCall?.(block.id, call) ?? call}
      {block.result !== null && afterStep?.(block.id)}
    </>
  );
}

/** Most blocks do not change while a reply arrives. The images of a call come with its result. */
const BlockView = memo(ShownBlock, (before, after) => before.block === after.block);

function ShownBlock({ block, images = null }: { block: Block; images?: ReactNode }): ReactNode {
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
      return <Call block={block} images={images} />;
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
}

function Call({
  block: { tool, input, output, result },
  images,
}: {
  block: Extract<Block, { kind: "call" }>;
  images: ReactNode;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const change = readChange(input);
  const [sign, state] =
    result === null ? ["●", "running"] : result.isError ? ["✗", "failed"] : ["✓", "succeeded"];
  return (
    <details className="tool" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className={`status ${state}`} aria-hidden="true">
          {sign}
        </span>
        <span className="who">{tool}</span>
        <span className="faint what">{describeInput(input)}</span>
        {result?.isError === true && <span className="unseen">failed</span>}
      </summary>
      {change === null ? <pre>{JSON.stringify(input, null, 2)}</pre> : <Diff change={change} />}
      {output !== "" && <pre>{output}</pre>}
      {isOpen && images}
      {result !== null && result.text !== "" && (
        <pre className={result.isError ? "problem" : ""}>{result.text}</pre>
      )}
    </details>
  );
}

/** Describes a call by the first text among its arguments. */
function describeInput(input: unknown): string {
  if (typeof input === "string") return cutFirstLine(input);
  if (typeof input !== "object" || input === null) return "";
  const text = Object.values(input).find((value) => typeof value === "string");
  return cutFirstLine(text ?? "");
}
