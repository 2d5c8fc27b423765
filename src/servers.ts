import type { StdioOptions } from "./mcp/serve-stdio.ts";

// Ways in do not import each other; what the command can be a server for is reached through here, loaded when asked for.

/** See `mcp/serve-stdio.ts`. */
export async function serveMcpOverStdio(options: StdioOptions): Promise<void> {
  const { serveOverStdio } = await import("./mcp/serve-stdio.ts");
  await serveOverStdio(options);
}
