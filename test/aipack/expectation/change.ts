/** Changes of a file for `aip.file.save_changes`, with the resulting content or the error. */
export interface ChangeExpectation {
  content: string;
  changes: string;
  /** The resulting content; `null` for an error. */
  after: string | null;
  /** The number of applied blocks, and the texts that were not found. */
  changed?: number;
  failed?: string[];
  difference?: { why: string; here: string };
}

const [start, middle, end] = ["<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"];

function block(search: string, replace: string): string {
  return [start, search, middle, replace, end].join("\n");
}

const counting = "one two three two one";
const numbers = [block("one", "1"), block("two", "2"), block("three", "3")];

/** SEARCH/REPLACE blocks. */
export const change: ChangeExpectation[] = [
  { content: "Hello world", changes: "Hallo Welt", after: "Hallo Welt" },
  {
    content: "Hello world",
    changes: `Some text ${end} with a mark`,
    after: `Some text ${end} with a mark`,
  },
  {
    content: "Hello old_text world, and old_text again.",
    changes: block("old_text", "new_text"),
    after: "Hello new_text world, and old_text again.",
  },
  {
    content: "Hello old_text1 world.",
    changes: block("old_text1", "new_text1"),
    after: "Hello new_text1 world.",
  },
  {
    content: "First line\nSecond old line\nThird line",
    changes: block("Second old line", "Second new line\nAnd a new third line"),
    after: "First line\nSecond new line\nAnd a new third line\nThird line",
  },
  { content: counting, changes: numbers.join("\n"), after: "1 2 3 two one" },
  { content: counting, changes: numbers.join("\n\n\n"), after: "1 2 3 two one", changed: 3 },
  {
    content: "apple banana cherry",
    changes: [block("apple", "A"), block("banana", "B"), block("cherry", "C")].join("\n"),
    after: "A B C",
  },
  { content: "apple", changes: block("apple", "A").replace(middle, `${middle} `), after: null },
  {
    content: "Replace target.",
    changes: `Some preamble text.\n${block("target", "it")}`,
    after: null,
  },
  {
    content: "one two",
    changes: `${block("one", "1")}\n  Some text between.\n${block("two", "2")}`,
    after: null,
  },
  {
    content: "Replace target.",
    changes: `${block("target", "it")}\n  Some text behind.`,
    after: null,
  },
  {
    content: "Hello world",
    changes: block("not_found_text", "replacement"),
    after: "Hello world",
    changed: 0,
    failed: ["not_found_text"],
  },
  {
    content: "one two three",
    changes: `${block("two", "2")}\n${block("four", "4")}`,
    after: "one 2 three",
    changed: 1,
    failed: ["four"],
  },
  { content: "abc", changes: block("", "X"), after: "Xabc" },
  { content: "delete this text now", changes: block("this text", ""), after: "delete  now" },
  {
    content: "line one\nline two\nline three\n",
    changes: block("line two", ""),
    after: "line one\nline three\n",
  },
  { content: "Hello world", changes: `${start}\nno separator\n${end}`, after: null },
  { content: "Hello world", changes: `${start}\nsearch_text\n${middle}\nno end`, after: null },
  {
    content: `Content with ${start} inside, and also ${middle} and ${end}.`,
    changes: block(start, "FOUND_IT"),
    after: `Content with FOUND_IT inside, and also ${middle} and ${end}.`,
  },
  { content: "fix this", changes: block("this", "that"), after: "fix that" },
  { content: "original content", changes: "", after: "" },
  { content: "original", changes: start, after: null },
  { content: "original", changes: `${start}\nsearch_text\n${middle}`, after: null },
  { content: "abc def", changes: block("", "X-"), after: "X-abc def" },
  { content: "abc remove_this def", changes: block("remove_this", ""), after: "abc  def" },
  {
    content: "line one\nline two\nline three\nline four",
    changes: block("line two\nline three", "new line A\nnew line B"),
    after: "line one\nnew line A\nnew line B\nline four",
  },
  {
    content: "line one\r\nline two\r\nline three\r\nline four",
    changes: block("line two\nline three", "new line A\nnew line B"),
    after: "line one\nnew line A\nnew line B\nline four",
    difference: {
      why: "The line ends of a file stay as they are.",
      here: "line one\r\nnew line A\r\nnew line B\r\nline four",
    },
  },
  {
    content: "fn a() {\n    if x {\n        b();\n    }\n}\n",
    changes: block("if x {\n        b();", "if y {\n        b();"),
    after: "fn a() {\n    if y {\n        b();\n    }\n}\n",
  },
];
