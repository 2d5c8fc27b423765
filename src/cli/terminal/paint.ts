import { styleText } from "node:util";

/** A colour or weight of text. */
export type Style =
  | "bold"
  | "dim"
  | "italic"
  | "underline"
  | "strikethrough"
  | "red"
  | "green"
  | "yellow"
  | "blue"
  | "magenta"
  | "cyan"
  | "yellowBright"
  | "magentaBright";

/** Styles text, or returns it unchanged. */
export type Paint = (style: Style, text: string) => string;

/** Returns the styles for `stream`: none when it is not a terminal or `NO_COLOR` is set. */
export function createPaint(stream: NodeJS.WriteStream): Paint {
  return (style, text) => (text === "" ? "" : styleText(style, text, { stream }));
}

/** Returns text unchanged. */
export const unpainted: Paint = (_style, text) => text;
