import { Container } from "@earendil-works/pi-tui";

/** A container of blocks. Where one block ends and the next one begins with an empty line, it shows one of the two lines. */
export class SpacedContainer extends Container {
  override render(width: number): string[] {
    const lines: string[] = [];
    for (const child of this.children) {
      const [first, ...rest] = child.render(width);
      if (first === undefined) continue;
      if (!isEmpty(first) || !isEmpty(lines.at(-1) ?? first)) lines.push(first);
      for (const line of rest) lines.push(line);
    }
    return lines;
  }
}

function isEmpty(line: string): boolean {
  return line.trim() === "";
}
