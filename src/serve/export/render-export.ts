import type { ExportedRun } from "./read-family.ts";

/** A format of an export. */
export type ExportFormat = "html" | "jsonl" | "md";

/** Renders a family as text in a format. */
export function renderExport(family: readonly ExportedRun[], format: ExportFormat): string {
  if (format === "jsonl") return family.map((run) => `${JSON.stringify(run)}\n`).join("");
  const sections = family.map((one) => ({ title: titleOf(one), blocks: describeParts(one) }));
  return format === "md" ? renderMarkdown(sections) : renderHtml(sections);
}

interface Block {
  title: string;
  text: string;
}

interface Section {
  title: string;
  blocks: Block[];
}

function titleOf({ run }: ExportedRun): string {
  const { label, agent, status, usage, cost } = run;
  const tokens = usage.inputTokens + usage.outputTokens;
  const dollars = cost === null ? "" : `, $${cost.toFixed(4)}`;
  return `${label ?? agent}: ${status} (${run.id}, ${tokens} tokens${dollars})`;
}

/** Joins the pieces of texts and omits parts that only programs need. */
function describeParts({ parts }: ExportedRun): Block[] {
  return parts.flatMap((part): Block[] => {
    switch (part.type) {
      case "run-created":
        return [{ title: "Task", text: part.task }];
      case "text":
        return [{ title: "Answer", text: part.text }];
      case "reasoning":
        return [{ title: "Reasoning", text: part.text }];
      case "tool-call":
        return [{ title: `Tool ${part.tool}`, text: JSON.stringify(part.input, null, 2) }];
      case "tool-result":
        return [{ title: part.isError ? "Failed" : "Result", text: part.text }];
      case "message":
        return [{ title: `Message of ${part.from}`, text: part.text }];
      case "warning":
        return [{ title: "Warning", text: part.message }];
      case "approval-requested":
        return [{ title: "Question", text: part.request.title }];
      case "approval-answered":
        return [{ title: "Answer to the question", text: part.answer.decision }];
      case "attempt-failed":
        return [{ title: "Attempt failed", text: part.failure.message }];
      case "run-finished": {
        const { status, failure } = part.result;
        return [{ title: "End", text: failure === undefined ? status : failure.message }];
      }
      case "tool-input":
      case "tool-output":
      case "reply-finished":
      case "reply-discarded":
        return [];
    }
  });
}

/** Renders Markdown. Each text stands in a fence longer than any fence inside it, so that it cannot end its fence. */
function renderMarkdown(sections: readonly Section[]): string {
  const fence = (text: string): string => {
    const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
    return "`".repeat(longest + 1);
  };
  return sections
    .map(({ title, blocks }) => {
      const body = blocks.map((block) => {
        const marks = fence(block.text);
        return `### ${oneLine(block.title)}\n\n${marks}\n${block.text}\n${marks}\n`;
      });
      return [`## ${oneLine(title)}\n`, ...body].join("\n");
    })
    .join("\n");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_<>[\]#|]/g, "\\$&");
}

const style =
  ":root{color-scheme:light dark}body{max-width:60rem;margin:0 auto;padding:1rem;font:16px/1.5 system-ui,sans-serif}pre{white-space:pre-wrap;overflow-wrap:anywhere}";

/** Renders a document without scripts. Its policy allows none. */
function renderHtml(sections: readonly Section[]): string {
  const body = sections.map(({ title, blocks }) => {
    const shown = blocks.map(
      (block) =>
        `<details open><summary>${escapeHtml(block.title)}</summary><pre>${escapeHtml(block.text)}</pre></details>`,
    );
    return `<section><h2>${escapeHtml(title)}</h2>\n${shown.join("\n")}\n</section>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(sections[0]?.title ?? "Cadre")}</title>
<style>${style}</style>
</head>
<body>
${body.join("\n")}
</body>
</html>
`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
