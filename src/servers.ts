import type { HttpOptions } from "./mcp/serve-http.ts";
import type { StdioOptions } from "./mcp/serve-stdio.ts";

// Ways in do not import each other; what the command can be a server for is reached through here, loaded when asked for.

/** See `mcp/serve-stdio.ts`. */
export async function serveMcpOverStdio(options: StdioOptions): Promise<void> {
  const { serveOverStdio } = await import("./mcp/serve-stdio.ts");
  await serveOverStdio(options);
}

/** See `mcp/serve-http.ts`. */
export async function serveMcpOverHttp(options: HttpOptions): Promise<void> {
  const { serveOverHttp } = await import("./mcp/serve-http.ts");
  await serveOverHttp(options);
}
