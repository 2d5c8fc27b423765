import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Draws `docs/demo.svg`, the picture in the README: the output of `cadre tree last` for the last run of `npm run demo` on a
 * terminal of 100 columns. Run `npm run demo` first. With `--check`, compares the picture with that output instead and
 * exits with 1 when they differ in more than times and token counts.
 */

const root = join(import.meta.dirname, "..");
const picture = join(root, "docs", "demo.svg");
const columns = 100;
const command = "cadre tree last";

/** In pixels: the width of a character, the height of a line, the margin around the text, and the font size. */
const layout = { character: 8.4, line: 20, margin: 18, font: 14 };
const colors = { background: "#0d1117", text: "#e6edf3", dim: "#8b949e" };

/** The Select Graphic Rendition codes that `cadre` writes, as CSS. Every other code ends a style. */
const styles: Readonly<Record<string, string>> = {
  "1": "font-weight:bold",
  "2": `fill:${colors.dim}`,
  "31": "fill:#ff7b72",
  "32": "fill:#3fb950",
  "33": "fill:#d29922",
  "36": "fill:#39c5cf",
};

/** Text in one style. */
interface Span {
  text: string;
  style: string;
}

/** Runs the command on a separate terminal. Returns its output with styles. */
function recordTree(): string {
  const terminal = join(root, "test", "cli", "terminal.py");
  const cli = [process.execPath, join(root, "src", "cli", "main.ts"), "tree", "last"];
  const { stdout, stderr, status } = spawnSync(
    "python3",
    [terminal, "24", String(columns), "[]", ...cli],
    {
      cwd: root,
      encoding: "utf8",
      // Without the caller's environment, in which CI and NO_COLOR would turn styles off.
      env: { CADRE_STATE_DIR: "demo-output/state", HOME: root, TERM: "xterm-256color" },
    },
  );
  if (status !== 0) {
    throw new Error(`\`${command}\` failed; run \`npm run demo\` first:\n${stdout}${stderr}`);
  }
  return stdout.replaceAll("\r", "").trimEnd();
}

/** Splits a terminal line into spans of one style. */
function readSpans(line: string): Span[] {
  const spans: Span[] = [];
  for (const part of line.split("\u001b[")) {
    const [, code = "", text = part] = /^(\d+)m([^]*)$/.exec(part) ?? [];
    if (text !== "") spans.push({ text, style: styles[code] ?? "" });
  }
  return spans;
}

function drawLine(spans: readonly Span[], row: number): string {
  const y = layout.margin + layout.font + row * layout.line;
  let column = 0;
  const drawn: string[] = [];
  for (const { text, style } of spans) {
    const shown = text.trim();
    const start = column + text.length - text.trimStart().length;
    column += text.length;
    if (shown === "") continue;
    const x = (layout.margin + start * layout.character).toFixed(1);
    const width = (shown.length * layout.character).toFixed(1);
    const css = style === "" ? "" : ` style="${style}"`;
    drawn.push(`<tspan x="${x}" textLength="${width}"${css}>${escapeXml(shown)}</tspan>`);
  }
  return `  <text y="${y}" xml:space="preserve">${drawn.join(" ")}</text>`;
}

function draw(output: string): string {
  const prompt: Span[] = [
    { text: "$ ", style: styles["2"] ?? "" },
    { text: command, style: "" },
  ];
  const lines = [prompt, ...output.split("\n").map(readSpans)];
  const width = Math.ceil(columns * layout.character + 2 * layout.margin);
  const height = lines.length * layout.line + 2 * layout.margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="${layout.font}" fill="${colors.text}">`,
    `  <title>The run tree of npm run demo</title>`,
    `  <rect width="100%" height="100%" rx="8" fill="${colors.background}"/>`,
    ...lines.map(drawLine),
    "</svg>",
    "",
  ].join("\n");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Returns the text of a picture without the parts that differ between runs: times, token counts, their width, and the word at which a line is cut. */
function textOf(svg: string): string {
  return svg
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll(/[\d.]+[kM]?(?= (?:tok|out)|s\b)/g, "N")
    .replaceAll(/ *\S*…/g, "…")
    .replaceAll(/ +/g, " ");
}

const drawn = draw(recordTree());
if (!process.argv.includes("--check")) {
  writeFileSync(picture, drawn);
} else if (textOf(readFileSync(picture, "utf8")) !== textOf(drawn)) {
  process.stderr.write(
    `docs/demo.svg is not what the demo prints. Run \`npm run demo\`, then \`node scripts/draw-demo.ts\`.\n${textOf(drawn)}`,
  );
  process.exitCode = 1;
}
