export { htmlToMarkdown } from "./html-markdown.ts";
export { selectElements } from "./html-select.ts";
export { slimHtml } from "./html-slim.ts";
