/** Frontmatter after a few lines of other text, such as a model's introduction to the file. */
const misplaced =
  /^(?:[^\n]*\n){0,6}?[ \t]*(?:-{3,}\w*|\+{3,}|`{3,}\w*|\{)[ \t]*\n(?:[^\n]*\n){0,3}?[ \t{]*["'*]*(?:name|description|mode|tools|permissions?)["'*]*[ \t]*[:=]/i;

/** Fields at the top of the file without an opening `---`. */
const unopened =
  /^\s*(?:name[ \t]*:[^\n]*\n(?:[^\n]*\n){0,3}?description|mode|tools|permissions?)[ \t]*:/;

/** Reports whether a text without frontmatter seems to have it in the wrong place, where other programs do not read it either. */
export function hasMisplacedFrontmatter(text: string): boolean {
  const top = text.slice(0, 4000).replaceAll("\r\n", "\n");
  return misplaced.test(top) || unopened.test(top);
}
