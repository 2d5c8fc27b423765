import { type AipModule, optionsOf, textArgument } from "../arguments.ts";
import { contentOf } from "./file-content.ts";
import { destinationOf } from "./destination.ts";
import { htmlLibrary } from "../markup/html.ts";

/** The HTML functions of `aip.file`. */
export const fileHtml: AipModule = {
  save_html_to_md: (args, ask) => {
    const path = textArgument(args, 1);
    const target = destinationOf(args, path, { suffix: "", extension: "md" });
    return ask("file.write", target, htmlLibrary().htmlToMarkdown(contentOf(ask, path)), "replace");
  },
  save_html_to_slim: (args, ask) => {
    const path = textArgument(args, 1);
    const target = destinationOf(args, path, { suffix: "-slim", extension: "html" });
    const html = contentOf(ask, path);
    const isSlim = typeof args.values[1] !== "object" || optionsOf(args, 2)["slim"] !== false;
    return ask("file.write", target, isSlim ? htmlLibrary().slimHtml(html) : html, "replace");
  },
  load_html_as_slim: (args, ask) => htmlLibrary().slimHtml(contentOf(ask, textArgument(args, 1))),
  load_html_as_md: (args, ask) => {
    const options = optionsOf(args, 2);
    const isSlim = options["trim"] !== false && options["slim"] !== false;
    const html = contentOf(ask, textArgument(args, 1));
    return htmlLibrary().htmlToMarkdown(isSlim ? htmlLibrary().slimHtml(html) : html);
  },
};
