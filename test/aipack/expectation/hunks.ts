import { block, changeBlock, type PatchExpectation, row } from "./patch.ts";

/** How patches are read: several hunks, lines that begin with signs, and lines that other programs add. */
export const hunks: PatchExpectation[] = [
  // Hunks one after the other.
  row(
    `header_a\n${block("")}footer_a\nheader_b\n${block("")}footer_b\n`,
    ` footer_a\n-header_b\n+header_c\n fn f() {\n@@\n${changeBlock}`,
    `header_a\n${block("")}footer_a\nheader_c\nfn f() {\n    new();\n}\nfooter_b\n`,
  ),
  row(
    `${block("")}between\n${block("")}end\n`,
    `${changeBlock}@@\n-between\n+changed\n fn f() {\n`,
    `fn f() {\n    new();\n}\nchanged\n${block("")}end\n`,
  ),
  row(
    "line 1\nline 2\nline 3\nline 4\nline 5\n",
    " line 1\n-line 2\n+changed 2\n line 3\n@@\n line 3\n line 4\n@@\n line 4\n-line 5\n+changed 5\n",
    "line 1\nchanged 2\nline 3\nline 4\nchanged 5\n",
  ),
  row("line 1\nline 2\n", " line 1\n line 2\n", "line 1\nline 2\n"),
  row("a\nb\nc\n", " a\n b\n@@\n b\n-c\n+c2\n", "a\nb\nc2\n"),
  row("a\nb\nc\n", " a\n-b\n+b2\n c\n@@\n c\n", "a\nb2\nc\n"),
  // Lines that begin with the signs of a hunk.
  row(
    "\t<a>\n-\t\t<old>\n\t\t<b>\n\t</a>\n",
    " \t<a>\n--\t\t<old>\n+\t\t<new>\n \t\t<b>\n",
    "\t<a>\n\t\t<new>\n\t\t<b>\n\t</a>\n",
  ),
  row(
    "\t<a>\n+\t\t<old>\n\t\t<b>\n\t</a>\n",
    " \t<a>\n-+\t\t<old>\n+\t\t<new>\n \t\t<b>\n",
    "\t<a>\n\t\t<new>\n\t\t<b>\n\t</a>\n",
  ),
  row(
    ' \t\t<a>1</a>\n \t\t<b>"0" </b>\n',
    '  \t\t<a>1</a>\n- \t\t<b>"0" </b>\n+ \t\t<b>"1" </b>\n',
    ' \t\t<a>1</a>\n \t\t<b>"1" </b>\n',
  ),
  // Lines that other programs add around the patch.
  {
    content: "line 1\nline 2\nline 3\n",
    patch:
      "*** Begin Patch\n*** Update File: src/sample.txt\n@@\n line 2\n-line 3\n+changed\n*** End Patch\n",
    after: "line 1\nline 2\nchanged\n",
  },
  {
    content: "alpha\nbeta\ngamma\n",
    patch: "*** Begin Patch\n@@\n beta\n-gamma\n+gamma2\n*** End Patch\n",
    after: "alpha\nbeta\ngamma2\n",
  },
  {
    content: "a\nb\nc\n",
    patch:
      "\n\n*** Begin Patch\n\n*** Update File: src/any.txt\n@@\n b\n-c\n+changed\n\n*** End Patch\n\n",
    after: "a\nb\nchanged\n",
  },
  row(
    "prefix\n*** Begin Patch\n*** Update File: src/l.txt\nvalue = old\n*** End Patch\nsuffix\n",
    " *** Begin Patch\n *** Update File: src/l.txt\n-value = old\n+value = new\n *** End Patch\n",
    "prefix\n*** Begin Patch\n*** Update File: src/l.txt\nvalue = new\n*** End Patch\nsuffix\n",
  ),
  row(
    "alpha\n*** Begin Patch\n*** Not A Wrapper: keep me\nbeta = 1\n*** End Patch\nomega\n",
    " *** Begin Patch\n *** Not A Wrapper: keep me\n-beta = 1\n+beta = 2\n *** End Patch\n",
    "alpha\n*** Begin Patch\n*** Not A Wrapper: keep me\nbeta = 2\n*** End Patch\nomega\n",
  ),
  ...["*** End Patch]]", "***end patch", "*** END, PATCH]"].map((line) =>
    row("alpha\nbeta\ngamma\n", ` beta\n-gamma\n+gamma2\n${line}\n`, "alpha\nbeta\ngamma2\n"),
  ),
  row("alpha\nbeta\n", " beta\n+*** End Patch]]\n", "alpha\nbeta\n*** End Patch]]\n"),
  row("alpha\nbeta\n", " beta\n+gamma\n*** End Patched]]\n", null),
];
