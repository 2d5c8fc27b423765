import { expect, test } from "vitest";
import type { LuaValue } from "../../lua/lua-value.ts";
import { callLibrary as call } from "../../../../test/fixtures/aip/call-library.ts";

test.each([
  [
    "<script>x</script><p class='c' style='d'>Hi &amp; <b>x</b></p><!-- y -->\n\n",
    '<p class="c">Hi &amp; <b>x</b></p>',
  ],
  ['<a href="x>y" id=b>1<br/>2&nbsp;', '<a href="x>y">1<br>2&nbsp;</a>'],
  ["<noscript><p>x</noscript><svg><path/><svg/></svg>y", "y"],
])("aip.html.slim keeps what is visible in %j", (html, expected) => {
  expect(call("html.slim", html)).toBe(expected);
  expect(call("html.prune_to_content", html)).toBe(expected);
});

test.each([
  [
    "<h1>T</h1><p>a <b>b</b> <a href='u'>l</a></p><ul><li>x<ul><li>y</li></ul></li></ul><pre>c\n d</pre>",
    "# T\n\na **b** [l](u)\n\n- x\n    - y\n\n```\nc\n d\n```",
  ],
  ["<p>a &copy;&Sum; <a href='x>y'>b</a> <a hre", "a ©∑ [b](x>y)"],
  ["<ol><li>a<li>b</ol><pre>if&nbsp;x</pre>", "1. a\n2. b\n\n```\nif x\n```"],
  ["<head><title>x</title><p>no end of the head", "no end of the head"],
])("aip.html.to_md converts %j", (html, expected) => {
  expect(call("html.to_md", html)).toBe(expected);
});

test.each<[LuaValue, string, unknown[]]>([
  [undefined, "<p>x</p>", []],
  [
    ["div > .x, #nope"],
    "<div id=a><p class='x y'>1<i>2</i></p></div><p>3</p>",
    [{ tag: "p", attrs: { class: "x y" }, text: "12", inner_html: "1<i>2</i>" }],
  ],
  [
    ["LI:nth-child(2)", "li:not(.z)"],
    `<ul><li a="x>y" b='"'>1<li class=z title="&Sum;">2<!-- c --></ul>`,
    [
      { tag: "li", attrs: { a: "x>y", b: '"' }, text: "1", inner_html: "1" },
      { tag: "li", attrs: { class: "z", title: "∑" }, text: "2", inner_html: "2<!-- c -->" },
    ],
  ],
  ["p + p:has(b)", "<p>1<p>2<b>3</b>", [{ tag: "p", text: "23", inner_html: "2<b>3</b>" }]],
])("aip.html.select %j of %j", (selectors, html, expected) => {
  expect(call("html.select", html, selectors)).toEqual(expected);
});

test.each<[LuaValue, RegExp]>([
  [["p!"], /aip\.html\.select cannot read the selector "p!": \w/],
  [["p", "p:nope"], /cannot read the selector "p:nope": .*nope/],
  [[" "], /expects selectors that are not empty/],
  ["", /expects selectors that are not empty/],
])("aip.html.select refuses %j", (selectors, message) => {
  expect(() => call("html.select", "<p>", selectors)).toThrow(message);
});
