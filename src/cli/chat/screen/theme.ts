import type { EditorTheme, MarkdownTheme, SelectListTheme } from "@earendil-works/pi-tui";
import { createPaint, type Paint, type Style } from "../../terminal/paint.ts";

/** The look of the screen. */
export interface Theme {
  paint: Paint;
  markdown: MarkdownTheme;
  editor: EditorTheme;
}

/** Creates the theme for a terminal, without colours when `NO_COLOR` is set. */
export function createTheme(stream: NodeJS.WriteStream): Theme {
  const paint = createPaint(stream);
  const as =
    (style: Style) =>
    (text: string): string =>
      paint(style, text);
  const plain = (text: string): string => text;
  const selectList: SelectListTheme = {
    selectedPrefix: as("cyan"),
    selectedText: as("cyan"),
    description: as("dim"),
    scrollInfo: as("dim"),
    noMatch: as("dim"),
  };
  const markdown: MarkdownTheme = {
    heading: as("bold"),
    link: as("blue"),
    linkUrl: as("dim"),
    code: as("cyan"),
    codeBlock: as("cyan"),
    codeBlockBorder: as("dim"),
    quote: plain,
    quoteBorder: as("dim"),
    hr: as("dim"),
    listBullet: as("cyan"),
    bold: as("bold"),
    italic: as("italic"),
    strikethrough: as("strikethrough"),
    underline: as("underline"),
  };
  return { paint, markdown, editor: { borderColor: as("dim"), selectList } };
}
