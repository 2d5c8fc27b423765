import { type AipModule, type Arguments, type AskHost, optionsOf, textOf } from "./arguments.ts";
import { destinationOf } from "./destination.ts";
import { htmlToMarkdown, slimHtml } from "./html.ts";

/** The functions of `aip.file` for HTML. */
export const fileHtml: AipModule = {
  save_html_to_md: (args, ask) => {
    const path = textOf(args, 1);
    const target = destinationOf(args, path, { suffix: "", extension: "md" });
    return ask("file.write", target, htmlToMarkdown(contentOf(args, ask)), "replace");
  },
  save_html_to_slim: (args, ask) => {
    const path = textOf(args, 1);
    const target = destinationOf(args, path, { suffix: "-slim", extension: "html" });
    const html = contentOf(args, ask);
    const isSlim = typeof args.values[1] !== "object" || optionsOf(args, 2)["slim"] !== false;
    return ask("file.write", target, isSlim ? slimHtml(html) : html, "replace");
  },
  load_html_as_slim: (args, ask) => slimHtml(contentOf(args, ask)),
  load_html_as_md: (args, ask) => {
    const options = optionsOf(args, 2);
    const isSlim = options["trim"] !== false && options["slim"] !== false;
    const html = contentOf(args, ask);
    return htmlToMarkdown(isSlim ? slimHtml(html) : html);
  },
};

function contentOf(args: Arguments, ask: AskHost): string {
  return (ask("file.load", textOf(args, 1)) as { content: string }).content;
}
