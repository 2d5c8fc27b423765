import { type AipModule, optionsOf, textOf } from "./arguments.ts";
import { contentOf } from "./file-content.ts";
import { destinationOf } from "./destination.ts";
import { htmlToMarkdown, slimHtml } from "./html.ts";

/** The functions of `aip.file` for HTML. */
export const fileHtml: AipModule = {
  save_html_to_md: (args, ask) => {
    const path = textOf(args, 1);
    const target = destinationOf(args, path, { suffix: "", extension: "md" });
    return ask("file.write", target, htmlToMarkdown(contentOf(ask, path)), "replace");
  },
  save_html_to_slim: (args, ask) => {
    const path = textOf(args, 1);
    const target = destinationOf(args, path, { suffix: "-slim", extension: "html" });
    const html = contentOf(ask, path);
    const isSlim = typeof args.values[1] !== "object" || optionsOf(args, 2)["slim"] !== false;
    return ask("file.write", target, isSlim ? slimHtml(html) : html, "replace");
  },
  load_html_as_slim: (args, ask) => slimHtml(contentOf(ask, textOf(args, 1))),
  load_html_as_md: (args, ask) => {
    const options = optionsOf(args, 2);
    const isSlim = options["trim"] !== false && options["slim"] !== false;
    const html = contentOf(ask, textOf(args, 1));
    return htmlToMarkdown(isSlim ? slimHtml(html) : html);
  },
};
