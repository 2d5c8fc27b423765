/** A mention of a file, such as `@docs/style.md`, outside code. */
export interface Import {
  /** The path as written, without `@`; relative to the file that contains it, absolute, or with a leading `~/`. */
  path: string;
  /** Whether it can only be a path. Others, such as `@types/node`, may be names of something else. */
  isPath: boolean;
}

const mention = /(?<=^|\s)@((?:\\ |[^\s\\`])+)/gm;

/** Finds the imports of a Markdown text, in order, each path once. Code spans and code blocks contain none. */
export function findImports(text: string): Import[] {
  const found = new Map<string, Import>();
  for (const [, written = ""] of withoutCode(text).matchAll(mention)) {
    const path = toPath(written);
    if (path !== "" && !found.has(path)) found.set(path, { path, isPath: isPath(path) });
  }
  return [...found.values()];
}

/** Removes what follows a path in prose: an anchor, and punctuation at the end. */
function toPath(written: string): string {
  return written
    .replace(/#.*$/, "")
    .replace(/[.,;:!?'")\]>*_]+$/, "")
    .replaceAll("\\ ", " ");
}

function isPath(path: string): boolean {
  return /^(?:\.{1,2}\/|~\/|\/)/.test(path) || /\.(?:mdc?|markdown|txt)$/i.test(path);
}

/** Removes code blocks and code spans. */
function withoutCode(text: string): string {
  const prose: string[] = [];
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined && mark !== undefined) fence = mark;
    else if (fence === undefined) prose.push(line);
    else if (isEndOf(fence, line)) fence = undefined;
  }
  return prose.join("\n").replaceAll(/(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, "");
}

function isEndOf(fence: string, line: string): boolean {
  const mark = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length;
}
