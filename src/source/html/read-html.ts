// HTML: the only parser of it, for the web and for scripts.

import type { Document } from "domhandler";
import { DomHandler, type Handler, Parser } from "htmlparser2";

/** Receives the content of a page in order. Every element that opens is closed, whatever the page says. */
export interface HtmlReader {
  /** Names are in lower case, except those of SVG; values are without entities. */
  open: (name: string, attributes: Readonly<Record<string, string>>) => void;
  close: (name: string) => void;
  /** A text between two tags, whole and without entities. */
  text: (text: string) => void;
}

/**
 * The most elements inside each other. Deeper ones are siblings, as in browsers: the time of the parser grows with the square of
 * the depth, and what walks a tree recurses.
 */
const maxDepth = 512;
/** Elements whose content is text; they hold no others. */
const textOnly: ReadonlySet<string> = new Set(["script", "style", "textarea", "title"]);

/** Reads HTML without building a tree, leaving out comments and declarations. Takes linear time. */
export function readHtml(html: string, reader: HtmlReader): void {
  const open: string[] = [];
  let text = "";
  const endText = (): void => {
    if (text !== "") reader.text(text);
    text = "";
  };
  const handler: Partial<Handler> = {
    // The parser passes entities on as texts of their own.
    ontext: (piece) => void (text += piece),
    onopentag(name, attributes) {
      endText();
      open.push(name);
      reader.open(name, attributes);
    },
    onclosetag(name) {
      endText();
      // At the end of a page the parser also closes the element of an unfinished tag, which it has not opened.
      if (open.at(-1) !== name) return;
      open.pop();
      reader.close(name);
    },
  };
  new BoundedParser(handler, () => open.length).end(html);
  endText();
}

/** Parses HTML into a tree. */
export function parseHtml(html: string): Document {
  const tree = new HtmlTree();
  new BoundedParser(tree, () => tree.depth).end(html);
  return tree.root;
}

/** Returns a reader that passes everything to `reader` but the elements `names` and what is in them. */
export function withoutElements(names: ReadonlySet<string>, reader: HtmlReader): HtmlReader {
  /** Open elements from the outermost of these on. */
  let hidden = 0;
  return {
    open(name, attributes) {
      if (hidden > 0 || names.has(name)) hidden += 1;
      else reader.open(name, attributes);
    },
    close(name) {
      if (hidden > 0) hidden -= 1;
      else reader.close(name);
    },
    text(text) {
      if (hidden === 0) reader.text(text);
    },
  };
}

class HtmlTree extends DomHandler {
  get depth(): number {
    return this.tagStack.length - 1;
  }
}

class BoundedParser extends Parser {
  readonly #depth: () => number;
  /** The tag being read opens an element that would be too deep, which is closed at once. */
  #isTooDeep = false;

  constructor(handler: Partial<Handler>, depth: () => number) {
    // Pages written as XHTML close what they leave empty.
    super(handler, { recognizeSelfClosing: true });
    this.#depth = depth;
  }

  override onopentagname(start: number, end: number): void {
    this.#isTooDeep = this.#depth() >= maxDepth;
    super.onopentagname(start, end);
  }

  override onclosetag(start: number, end: number): void {
    this.#isTooDeep = false;
    super.onclosetag(start, end);
  }

  protected override isVoidElement(name: string): boolean {
    return super.isVoidElement(name) || (this.#isTooDeep && !textOnly.has(name));
  }
}
