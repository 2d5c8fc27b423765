import { styleText } from "node:util";

/** The colours and weights that are used. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Styles text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string;

/** Styles for what is written on `stream`: none where it is no terminal, or where `NO_COLOR` is set. */
export function createPaint(stream: NodeJS.WriteStream): Paint {
  return (style, text) => (text === "" ? "" : styleText(style, text, { stream }));
}

/** No styles at all. */
export const unpainted: Paint = (_style, text) => text;
