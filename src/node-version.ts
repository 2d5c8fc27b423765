const [minimumMajor, minimumMinor] = [24, 15];

/** The oldest Node that Cadre runs on. */
export const minimumNode: string = `${minimumMajor}.${minimumMinor}`;

/**
 * What to tell whoever runs Cadre on a Node that is too old; `undefined` where it is not. Imports nothing, and is the first
 * that the library and the command look at: an older Node fails on what they import.
 */
export function describeOldNode(): string | undefined {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  if (major > minimumMajor || (major === minimumMajor && minor >= minimumMinor)) return undefined;
  return `Expected Node ${minimumNode} or newer; this is ${node}, at ${process.execPath}.`;
}
