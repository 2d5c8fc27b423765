const [minimumMajor, minimumMinor] = [24, 15];

/** The oldest Node that Cadre runs on. */
export const minimumNode: string = `${minimumMajor}.${minimumMinor}`;

/**
 * Returns the message for a Node version that is too old; `undefined` for a supported one. Imports nothing. The library and the
 * command check it first, because an older Node fails on their imports.
 */
export function describeOldNode(): string | undefined {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  if (major > minimumMajor || (major === minimumMajor && minor >= minimumMinor)) return undefined;
  return `Expected Node ${minimumNode} or newer; this is ${node}, at ${process.execPath}. Install Node 24, or put it first on the PATH.`;
}
