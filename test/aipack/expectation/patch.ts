/** A patch for `aip.udiffx.apply_file_changes`, with the resulting content or the failure of a hunk. */
export interface PatchExpectation {
  content: string;
  patch: string;
  /** The resulting content; `null` when a hunk fails. */
  after: string | null;
  difference?: { why: string; here: string | null };
}

/** A patch of one hunk, or of several hunks separated by `@@`. */
export const row = (content: string, patch: string, after: string | null): PatchExpectation => ({
  content,
  patch: `@@\n${patch}`,
  after,
});

/** A function whose lines begin with `indent`. */
export const block = (indent: string): string =>
  `${indent}fn f() {\n${indent}    old();\n${indent}}\n`;
/** A hunk that changes {@link block}. */
export const changeBlock = " fn f() {\n-    old();\n+    new();\n }\n";

/** How hunks find their position: by the exactness of their lines, by ranges and by indentation. */
export const patch: PatchExpectation[] = [
  row(
    "line 1\nline 2\nline 3\n",
    " line 2\n+line 2.5\n line 3\n",
    "line 1\nline 2\nline 2.5\nline 3\n",
  ),
  // Ranges.
  row(
    "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\n",
    " line 1\n-line 2\n-line 3\n~\n-line 6\n-line 7\n line 8\n",
    "line 1\nline 8\n",
  ),
  row(
    "header\nold 1\nold 2\nold 3\nold 4\nold 5\nfooter\n",
    " header\n-old 1\n-old 2\n~\n-old 4\n-old 5\n+new A\n+new B\n footer\n",
    "header\nnew A\nnew B\nfooter\n",
  ),
  row(
    "A\nB\nC\nD\nE\nF\nG\nH\nI\nJ\nK\nL\n",
    " A\n-B\n-C\n~\n-D\n-E\n F\n-G\n-H\n~\n-I\n-J\n K\n",
    "A\nF\nK\nL\n",
  ),
  row("line 1\nline 2\nline 3\nline 4\n", " line 1\n-line 2\n~\n-line 3\n-line 4\n", null),
  row("line 1\nline 2\nline 3\nline 4\n", " line 1\n-line 2\n-line 3\n~\n-line 4\n", null),
  row("line 1\nline 2\nline 3\nline 4\n", " line 1\n line 2\n~\n line 3\n line 4\n", null),
  row(
    "    start\n    remove A\n    remove B\n    remove C\n    remove D\n    remove E\n    end\n",
    " start\n-remove A\n-remove B\n~\n-remove D\n-remove E\n end\n",
    "    start\n    end\n",
  ),
  row(
    "begin\nfirst\nsecond\n\nfourth\nfifth\nend\n",
    " begin\n-first\n-second\n~\n-fourth\n-fifth\n end\n",
    "begin\nend\n",
  ),
  // Comments.
  row(
    "// some comment\nlet x = 1;\n",
    " //  some  comment\n-let x = 1;\n+let x = 2;\n",
    "// some comment\nlet x = 2;\n",
  ),
  row(
    "# a comment\nvalue = 10\n",
    " #  a  comment\n-value = 10\n+value = 20\n",
    "# a comment\nvalue = 20\n",
  ),
  row(
    "<!-- a comment -->\n<p>a</p>\n",
    " <!--  a  comment  -->\n-<p>a</p>\n+<p>b</p>\n",
    "<!-- a comment -->\n<p>b</p>\n",
  ),
  row("// do something\nlet x = 1;\n", " do something\n-let x = 1;\n+let x = 2;\n", null),
  row("let x = 1;\nlet y = 2;\n", " // let x = 1;\n-let y = 2;\n+let y = 42;\n", null),
  row(
    "## Section Title\nSome content.\n",
    " ## Section Title\n-Some content.\n+New content.\n",
    "## Section Title\nNew content.\n",
  ),
  // Spaces, numbers, ends of lines.
  row(
    'let m = "a   b   c";\nlet x = 1;\n',
    ' let m = "a b c";\n-let x = 1;\n+let x = 2;\n',
    'let m = "a   b   c";\nlet x = 2;\n',
  ),
  row(
    'let m = "hello world";\nlet x = 1;\n',
    ' let m = "goodbye world";\n-let x = 1;\n+let x = 2;\n',
    null,
  ),
  row(
    'let s = r#"exact"#;\nlet y = 5;\n',
    ' let s = r#"exact"#;\n-let y = 5;\n+let y = 10;\n',
    'let s = r#"exact"#;\nlet y = 10;\n',
  ),
  row("a b\nreal line\n", " a  b\n-real line\n+replaced\n", "a b\nreplaced\n"),
  row(
    "let x = 1_000;\nlet y = 2;\n",
    " let x = 1000;\n-let y = 2;\n+let y = 42;\n",
    "let x = 1_000;\nlet y = 42;\n",
  ),
  row(
    "let mask = 0xFF_FF;\nlet val = 0;\n",
    " let mask = 0xFFFF;\n-let val = 0;\n+let val = 1;\n",
    "let mask = 0xFF_FF;\nlet val = 1;\n",
  ),
  row("let x = 1_000;\nlet y = 2;\n", " let x = 2000;\n-let y = 2;\n+let y = 42;\n", null),
  row(
    "This is a long line with some suffix.\nAnother line.\n",
    " some suffix.\n+New line.\n Another line.\n",
    "This is a long line with some suffix.\nNew line.\nAnother line.\n",
  ),
  row(
    "    Indented line\n",
    " Indented line\n+    New line\n",
    "    Indented line\n    New line\n",
  ),
  row(
    "box of foxes\nthe letter x\nanother line\n",
    " the letter x\n+inserted\n another line\n",
    "box of foxes\nthe letter x\ninserted\nanother line\n",
  ),
  row(
    "namespace\nname\nvalue\n",
    " name\n+new line\n value\n",
    "namespace\nname\nnew line\nvalue\n",
  ),
  row(
    "fn   main()  {\n    a();\n}\n",
    " fn main() {\n-    a();\n+    b();\n }\n",
    "fn   main()  {\n    b();\n}\n",
  ),
  row(block("    ") + block(""), changeBlock, `${block("    ")}fn f() {\n    new();\n}\n`),
  row(
    `${block("")}fn other() {}\n${block("")}`,
    changeBlock,
    `fn f() {\n    new();\n}\nfn other() {}\n${block("")}`,
  ),
  row(block("") + block(""), changeBlock, `fn f() {\n    new();\n}\n${block("")}`),
  // Empty lines.
  row(
    "line 1\nline 2\nline 3\nline 4\n",
    " line 2\n \n-line 3\n+changed\n line 4\n",
    "line 1\nline 2\n\nchanged\nline 4\n",
  ),
  row(
    "line 1\nline 2\n\nline 4\nline 5\n",
    " line 2\n \n-line 4\n+changed\n line 5\n",
    "line 1\nline 2\n\nchanged\nline 5\n",
  ),
  row(
    "line A\nline B\nline C\nline A\n\nline D\n",
    " line A\n \n-line D\n+changed\n",
    "line A\nline B\nline C\nline A\n\nchanged\n",
  ),
  row("line 1\n\n\nline 2\n", " line 1\n-line 2\n+changed\n", "line 1\n\n\nchanged\n"),
  row(
    "## Section Title\nSome content.\nMore.\n",
    " ## section title\n-Some content.\n+New.\n More.\n",
    "## Section Title\nNew.\nMore.\n",
  ),
  row(
    "fn   a()  {\n    let x = 1;\n    let y = 2;\n}\n",
    " fn a() {\n-    let x = 1;\n+    let x = 42;\n     let y = 2;\n }\n",
    "fn   a()  {\n    let x = 42;\n    let y = 2;\n}\n",
  ),
  row(
    "    pub fn open_the_database(config: &Config) -> Pool {\n        let pool = create_connection_pool(config)?;\n        Ok(())\n    }\n",
    " open_the_database(config: &Config) -> Pool {\n-create_connection_pool(config)?;\n+create_async_pool(config).await?;\n Ok(())\n",
    "    pub fn open_the_database(config: &Config) -> Pool {\ncreate_async_pool(config).await?;\n        Ok(())\n    }\n",
  ),
  row(
    "create_connection_pool\nthe word pool\nanother line\n",
    " the word pool\n-another line\n+replaced\n",
    "create_connection_pool\nthe word pool\nreplaced\n",
  ),
  row(
    "let x = 1;\nlet y = 2;\n",
    " let x = 1\n-let y = 2;\n+let y = 42;\n",
    "let x = 1;\nlet y = 42;\n",
  ),
  row(
    "    one: String,\n    two: i32,\n}\n",
    " one: String\n-    two: i32,\n+    two: i64,\n }\n",
    "    one: String,\n    two: i64,\n}\n",
  ),
  row(
    "let x = 1\nlet y = 2\n",
    " let x = 1;\n-let y = 2\n+let y = 42\n",
    "let x = 1\nlet y = 42\n",
  ),
  row("let x = 1;\nlet y = 2;\n", " let z = 1\n-let y = 2;\n+let y = 42;\n", null),
  // Indentation.
  row(
    "    fn f() {\n        old();\n    }\n      fn f() {\n            old();\n      }\n",
    changeBlock,
    "    fn f() {\n    new();\n    }\n      fn f() {\n            old();\n      }\n",
  ),
  row(block("    "), changeBlock, "    fn f() {\n    new();\n    }\n"),
  row("    fn f() {\n      old();\n  }\n", changeBlock, "    fn f() {\n    new();\n  }\n"),
  row(
    `  fn f() {\n        old();\n  }\nother();\n${block("    ")}`,
    changeBlock,
    "  fn f() {\n        old();\n  }\nother();\n    fn f() {\n    new();\n    }\n",
  ),
  // Files without content.
  row("", " fn main() {\n+    a();\n }\n", "fn main() {\n    a();\n}\n"),
  {
    ...row(
      "",
      "-old line 1\n-old line 2\n+new line 1\n+new line 2\n",
      "old line 1\nold line 2\nnew line 1\nnew line 2\n",
    ),
    difference: {
      why: "Lines that a hunk removes are not added to an empty file.",
      here: "new line 1\nnew line 2\n",
    },
  },
  row("", "+line 1\n+line 2\n+line 3\n", "line 1\nline 2\nline 3\n"),
  row("\n\n\n", " fn setup() {\n+    init();\n }\n", "fn setup() {\n    init();\n}\n"),
  // Quotes.
  row(
    'let s = "hello world";\nlet x = 1;\n',
    " let s = 'hello world';\n-let x = 1;\n+let x = 2;\n",
    'let s = "hello world";\nlet x = 2;\n',
  ),
  row(
    "let s = 'hello world';\nlet x = 1;\n",
    ' let s = "hello world";\n-let x = 1;\n+let x = 2;\n',
    "let s = 'hello world';\nlet x = 2;\n",
  ),
  row(
    'title: `"abc"`\nlet y = 5;\n',
    " title: '`abc`'\n-let y = 5;\n+let y = 10;\n",
    'title: `"abc"`\nlet y = 10;\n',
  ),
  row(
    'let s = "hello world";\nlet x = 1;\n',
    " let s = 'goodbye world';\n-let x = 1;\n+let x = 2;\n",
    null,
  ),
  row(
    'msg = "done".\nlet z = 0;\n',
    " msg = 'done'\n-let z = 0;\n+let z = 1;\n",
    'msg = "done".\nlet z = 1;\n',
  ),
];
