import { type AipModule, isAbsent, textOf, textsOf } from "./arguments.ts";
import { writeMarkdown } from "./html-markdown.ts";
import { selectElements } from "./html-select.ts";
import { readHtml, writeToken } from "./html-token.ts";

/** `aip.html`. */
export const html: AipModule = {
  slim: (args) => slimHtml(textOf(args, 1)),
  prune_to_content: (args) => slimHtml(textOf(args, 1)),
  to_md: (args) => htmlToMarkdown(textOf(args, 1)),
  select: (args) =>
    isAbsent(args, 2) ? [] : selectElements(readHtml(textOf(args, 1)), textsOf(args, 2), args.name),
};

/** HTML as Markdown. */
export function htmlToMarkdown(content: string): string {
  return writeMarkdown(readHtml(content));
}

/** Elements that show nothing. */
const dropped: ReadonlySet<string> = new Set("script style link svg noscript template".split(" "));
/** The attributes that say something about the content. */
const kept: ReadonlySet<string> = new Set(["class", "aria-label", "href"]);

/** HTML without what shows nothing, without comments, empty lines and most attributes. */
export function slimHtml(content: string): string {
  const parts: string[] = [];
  let hidden: { name: string; depth: number } | undefined;
  for (const token of readHtml(content)) {
    if (hidden !== undefined) {
      if (token.type !== "text" && token.name === hidden.name)
        hidden.depth += token.type === "close" ? -1 : Number(!token.isVoid);
      if (hidden.depth === 0) hidden = undefined;
    } else if (token.type === "open" && dropped.has(token.name)) {
      if (!token.isVoid) hidden = { name: token.name, depth: 1 };
    } else if (token.type !== "close" || !dropped.has(token.name))
      parts.push(writeToken(token, kept));
  }
  const lines = parts.join("").split("\n");
  return lines
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .join("\n");
}
