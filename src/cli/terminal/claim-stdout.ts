import { Writable } from "node:stream";

/** Reserves standard output for the protocol. Other output, such as that of program agents, goes to standard error. */
export function claimStdout(onGone: () => void): Writable {
  const { stdout, stderr } = process;
  const writeProtocol = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  stdout.on("error", onGone);
  return new Writable({
    write: (chunk: Buffer, _, done) => void writeProtocol(chunk, (error) => done(error ?? null)),
  });
}
