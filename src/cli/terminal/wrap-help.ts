import { wrapLine } from "./wrap-prose.ts";

/** An indented example with its explanation, after two or more spaces. */
const example = /^(\s+\S.*?)\s{2,}(\S.*)$/;

/** Wraps the text of a help: paragraphs are filled, and an explanation that does not fit beside its example follows it. */
export function wrapHelp(text: string, columns: number): string {
  return joinParagraphs(text.split("\n"))
    .flatMap((line) => (line.length <= columns ? [line] : wrapEntry(line, columns)))
    .join("\n");
}

/** Joins the lines of each paragraph that is not indented. */
function joinParagraphs(lines: readonly string[]): string[] {
  const joined: string[] = [];
  for (const line of lines) {
    const last = joined.at(-1) ?? "";
    if (isOfParagraph(line) && isOfParagraph(last)) joined[joined.length - 1] = `${last} ${line}`;
    else joined.push(line);
  }
  return joined;
}

/** A line with a colon at its end is a heading, and one with columns belongs to a table. */
function isOfParagraph(line: string): boolean {
  return /^\S.*[^:]$/.test(line) && !/\S {2,}\S/.test(line);
}

function wrapEntry(line: string, columns: number): string[] {
  const [, shown, explanation] = example.exec(line) ?? [];
  if (shown === undefined || explanation === undefined) return wrapLine(line, columns);
  return [shown, ...wrapLine(`      ${explanation}`, columns)];
}
