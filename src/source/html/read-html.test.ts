import { isTag } from "domhandler";
import { expect, test } from "vitest";
import { measureCpu } from "../../../test/fixtures/cpu-time.ts";
import { parseHtml, readHtml, withoutElements, type HtmlReader } from "./read-html.ts";

/** Returns the calls that a reader of `html` receives, without the elements `dropped`. */
function listEvents(html: string, dropped: readonly string[] = []): string[] {
  const events: string[] = [];
  const reader: HtmlReader = {
    open: (name, attributes) => void events.push(`<${name}${JSON.stringify(attributes)}>`),
    close: (name) => void events.push(`</${name}>`),
    text: (text) => void events.push(text),
  };
  readHtml(html, withoutElements(new Set(dropped), reader));
  return events;
}

test.each<[string, string, string[]]>([
  [
    "attributes in every form",
    `<a B="x>y" c='"' d=e/f g>t</a>`,
    ['<a{"b":"x>y","c":"\\"","d":"e/f","g":""}>', "t", "</a>"],
  ],
  [
    "every entity of HTML, and a text as a whole",
    '<i a="&Sum;&amp;lt;">&lt;b&gt;&Sum;<!-- c --> &nope;</i>',
    ['<i{"a":"∑&lt;"}>', "<b>∑ &nope;", "</i>"],
  ],
  [
    "end tags that are left out",
    "<ul><li>a<li>b</ul>",
    ["<ul{}>", "<li{}>", "a", "</li>", "<li{}>", "b", "</li>", "</ul>"],
  ],
  ["void and self-closing elements", "<br><b/>a", ["<br{}>", "</br>", "<b{}>", "</b>", "a"]],
  ["end tags of what is not open", "a</b></div>", ["a"]],
  ["scripts as text", "<script>a<b>&lt;</script>", ["<script{}>", "a<b>&lt;", "</script>"]],
  ["no unfinished tag", "<div>a<b c", ["<div{}>", "a", "</div>"]],
  ["no comments and declarations", "<!doctype html><?a?>b<!-- c -->d", ["bd"]],
])("reads %s", (_, html, events) => {
  expect(listEvents(html)).toEqual(events);
});

test("leaves elements out with all that is in them", () => {
  const html = "a<svg><g><svg>b</svg></g></svg><p>c<svg/></p>";
  expect(listEvents(html, ["svg"])).toEqual(["a", "<p{}>", "c", "</p>"]);
});

test("nests at most 512 deep, and keeps what is deeper", async () => {
  const count = 200_000;
  const html = `${"<div>".repeat(count)}deep<script>x</script>${"</x>".repeat(count)}${"</div>".repeat(count)}end`;
  let events: string[] = [];
  // About 300 ms. Without the limit, half as many elements take a minute.
  const elapsedMs = await measureCpu(() => {
    events = listEvents(html, ["script"]);
  });
  expect(elapsedMs).toBeLessThan(5000);
  expect(events.filter((event) => event === "<div{}>")).toHaveLength(count);
  expect(events.filter((event) => event === "</div>")).toHaveLength(count);
  expect(events.filter((event) => !event.startsWith("<"))).toEqual(["deep", "end"]);
  let [node] = parseHtml(html).children;
  let depth = 0;
  for (; node !== undefined && isTag(node); node = node.children[0]) depth += 1;
  // The first element that is too deep is the empty child of the last one within the limit.
  expect(depth).toBe(513);
});
