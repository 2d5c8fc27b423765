// HTML: the only HTML parser, for the web and for scripts.

import type { Document } from "domhandler";
import { DomHandler, type Handler, Parser } from "htmlparser2";

/** Receives the content of a page in order. Every opened element is closed, even if the page does not close it. */
export interface HtmlReader {
  /** Names are in lower case, except those of SVG. Values have no entities. */
  open: (name: string, attributes: Readonly<Record<string, string>>) => void;
  close: (name: string) => void;
  /** Receives the whole text between two tags, without entities. */
  text: (text: string) => void;
}

/**
 * The maximum nesting of elements. Deeper elements become siblings, as in browsers: the parser's time grows with the square of the
 * depth, and code that walks a tree recurses.
 */
const maxDepth = 512;
/** Elements that contain only text. */
const textOnly: ReadonlySet<string> = new Set(["script", "style", "textarea", "title"]);

/** Reads HTML in linear time without building a tree. Omits comments and declarations. */
export function readHtml(html: string, reader: HtmlReader): void {
  const open: string[] = [];
  let text = "";
  const endText = (): void => {
    if (text !== "") reader.text(text);
    text = "";
  };
  const handler: Partial<Handler> = {
    // The parser passes each entity as a separate text.
    ontext: (piece) => void (text += piece),
    onopentag(name, attributes) {
      endText();
      open.push(name);
      reader.open(name, attributes);
    },
    onclosetag(name) {
      endText();
      // At the end of a page, the parser also closes the element of an unfinished tag, which it has not opened.
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

/** Returns a reader that passes everything to `reader` except the elements `names` and their content. */
export function withoutElements(names: ReadonlySet<string>, reader: HtmlReader): HtmlReader {
  /** The number of open elements, starting with the outermost excluded one. */
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
  /** Whether the tag being read opens an element that is too deep. That element is closed at once. */
  #isTooDeep = false;

  constructor(handler: Partial<Handler>, depth: () => number) {
    // Pages written as XHTML close their empty elements themselves.
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
