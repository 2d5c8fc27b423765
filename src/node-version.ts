const [minimumMajor, minimumMinor] = [24, 15];

/** The oldest Node version that Cadre supports. */
export const minimumNode: string = `${minimumMajor}.${minimumMinor}`;

/**
 * Returns the message for a Node version that is too old; `undefined` for a supported version. Imports nothing, because the library
 * and the command check the version first: an older Node fails on their imports.
 */
export function describeOldNode(): string | undefined {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  if (major > minimumMajor || (major === minimumMajor && minor >= minimumMinor)) return undefined;
  return `Expected Node ${minimumNode} or newer; this is ${node}, at ${process.execPath}. Install Node 24, or put it first on the PATH.`;
}
