import { InvalidArgumentError } from "commander";

/** Parses a port number; 0 means any free port. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("Expected a port from 0 to 65535.");
}
