import { loadLazily } from "../../../source/load-lazily.ts";
import { type AipModule, isAbsent, textArgument, textsOf } from "../arguments.ts";
import type * as Html from "./html-library.ts";

/** `aip.html`. */
export const html: AipModule = {
  slim: (args) => htmlLibrary().slimHtml(textArgument(args, 1)),
  prune_to_content: (args) => htmlLibrary().slimHtml(textArgument(args, 1)),
  to_md: (args) => htmlLibrary().htmlToMarkdown(textArgument(args, 1)),
  select: (args) =>
    isAbsent(args, 2)
      ? []
      : htmlLibrary().selectElements(textArgument(args, 1), textsOf(args, 2), args.name),
};

/** Returns the HTML library, loaded on first use. */
export function htmlLibrary(): typeof Html {
  return loadLazily("./html-library", import.meta.url) as typeof Html;
}
