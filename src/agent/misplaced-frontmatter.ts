/** A few lines of whatever, such as what a model said before it wrote the file, and then what was meant as frontmatter. */
const misplaced =
  /^(?:[^\n]*\n){0,6}?[ \t]*(?:-{3,}\w*|\+{3,}|`{3,}\w*|\{)[ \t]*\n(?:[^\n]*\n){0,3}?[ \t{]*["'*]*(?:name|description)["'*]*[ \t]*[:=]/i;

/** Fields from the first line on, with nothing before them. */
const unopened = /^\s*name[ \t]*:[^\n]*\n(?:[^\n]*\n){0,3}?description[ \t]*:/;

/** Whether a text without frontmatter was meant to have one, which other programs do not read there either. */
export function hasMisplacedFrontmatter(text: string): boolean {
  const top = text.slice(0, 4000).replaceAll("\r\n", "\n");
  return misplaced.test(top) || unopened.test(top);
}
