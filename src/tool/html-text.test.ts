import { expect, test } from "vitest";
import { measureCpu } from "../../test/fixtures/cpu-time.ts";
import { htmlToText } from "./html-text.ts";

const base = new URL("https://a.test/dir/page");
const convert = (html: string): string => htmlToText(html, base);

test("keeps structure: headings, paragraphs, lists, tables, preformatted text", () => {
  expect(convert("<h2>A</h2><p>b\n c</p><ul><li>d<li>e</ul><pre>f\n  g</pre>")).toBe(
    "## A\n\nb c\n\n- d\n- e\n\nf\n  g",
  );
  expect(convert("<table><tr><td>a</td><td>b</td></tr></table>")).toBe("| a | b");
  expect(convert("a<br>b<img alt='c'>")).toBe("a\nbc");
});

test("keeps links that lead somewhere, and only those", () => {
  expect(convert("<a href='x?a=1&amp;b=2'>t</a>")).toBe("[t](https://a.test/dir/x?a=1&b=2)");
  expect(convert("<a href='javascript:1'>t</a><a href='#x'>u</a><a>v</a>")).toBe("tuv");
});

test("drops what nobody reads", () => {
  const html =
    "<head><meta></head><SCRIPT>if (a</b/.test(c)) '<p>'</SCRIPT >a<style>x</style><!-- <p> --><svg><text>x</text></svg>b";
  expect(convert(html)).toBe("ab");
});

test("decodes entities once", () => {
  expect(convert("&lt;b&gt; &amp;lt; &#65;&#x42; &nope; &#0; &#xD800;")).toBe(
    "<b> &lt; AB &nope; \uFFFD \uFFFD",
  );
});

test("survives broken pages", () => {
  expect(convert("a < b <p class='x>y'>c")).toBe("a < b\n\nc");
  expect(convert("a<script>never closed")).toBe("a");
  expect(convert("a<p")).toBe("a");
  expect(convert("<a href=x>open")).toBe("[open](https://a.test/dir/x)");
});

test.each(["<", "<a ", "<p", "&", "<!--", "<script>", "</", "<a href='", "<title", "\n "])(
  "takes little time for a page of nothing but %j",
  async (piece) => {
    const page = piece.repeat(Math.floor(1_000_000 / piece.length));
    // It takes some 300 at most; work that grows with the square of the page takes far longer.
    expect(await measureCpu(() => convert(page))).toBeLessThan(5000);
  },
);
