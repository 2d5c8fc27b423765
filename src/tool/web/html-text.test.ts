import { expect, test } from "vitest";
import { measureCpu } from "../../../test/fixtures/cpu-time.ts";
import { htmlToText } from "./html-text.ts";

const base = new URL("https://a.test/dir/page");
const convert = (html: string): string => htmlToText(html, base);

test("keeps structure: headings, paragraphs, lists, tables, preformatted text", () => {
  expect(convert("<h2>A</h2><p>b\n c</p><ul><li>d<li>e</ul><pre>f\n  g</pre>")).toBe(
    "## A\n\nb c\n\n- d\n- e\n\nf\n  g",
  );
  expect(convert("<ul><li>a</li> <li>b<ul><li>c</li></ul></li></ul>")).toBe("- a\n- b\n\n- c");
  expect(convert("<pre>if&nbsp;x</pre>")).toBe("if x");
  expect(convert("<table><tr><td>a</td><td>b</td></tr></table>")).toBe("| a | b");
  expect(convert("a<br>b<img alt='c'>")).toBe("a\nbc");
});

test("keeps only links with a target", () => {
  expect(convert("<a href='x?a=1&amp;b=2'>t</a>")).toBe("[t](https://a.test/dir/x?a=1&b=2)");
  expect(convert("<a href='javascript:1'>t</a><a href='#x'>u</a><a>v</a>")).toBe("tuv");
});

test("puts the title first, whatever is open in the head", () => {
  const svg = "<svg><title>Icon</title></svg>";
  expect(convert(`<head>${svg}<title>A &amp; \n B</title><title>C</title><p>d`)).toBe(
    "# A & B\n\nd",
  );
});

test("drops invisible content", () => {
  const html =
    "<head><meta></head><SCRIPT>if (a</b/.test(c)) '<p>'</SCRIPT >a<style>x</style><!-- <p> --><svg><text>x</text></svg>b";
  expect(convert(html)).toBe("ab");
});

test("decodes entities once", () => {
  expect(convert("&lt;b&gt; &amp;lt; &#65;&#x42; &nope; &#0; &#xD800; &Sum;&frac12;")).toBe(
    "<b> &lt; AB &nope; \uFFFD \uFFFD ∑½",
  );
});

test("survives broken pages", () => {
  expect(convert("a < b <p class='x>y'>c")).toBe("a < b\n\nc");
  expect(convert("a<script>never closed")).toBe("a");
  expect(convert("a<div")).toBe("a");
  expect(convert("<a href=x>open")).toBe("[open](https://a.test/dir/x)");
});

test.each([
  "<",
  "<a ",
  "<p",
  "&",
  "<!--",
  "<script>",
  "</",
  "<a href='",
  "<title",
  "\n ",
  "<b></b>",
  "</p>",
  "<svg>",
  "<form>",
])("converts a page that repeats %j quickly", async (piece) => {
  const page = piece.repeat(Math.floor(1_000_000 / piece.length));
  // At most about 300 ms; quadratic work would take far longer.
  expect(await measureCpu(() => convert(page))).toBeLessThan(5000);
});
