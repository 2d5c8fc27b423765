/**
 * Captures the output that the program, its libraries and its agents write to the terminal, because it would garble the screen. Passes
 * it to `onLine` line by line. Returns the function that stops the capture.
 */
export function captureOutput(onLine: (line: string) => void): () => void {
  const { stderr } = process;
  const write = stderr.write.bind(stderr);
  const methods = ["log", "info", "debug"] as const;
  const before = methods.map((name) => console[name]);
  let rest = "";

  function take(text: string): void {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  }

  stderr.write = (chunk: string | Uint8Array, ...others: unknown[]): boolean => {
    take(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
    const done = others.find((one) => typeof one === "function");
    done?.();
    return true;
  };
  for (const name of methods) console[name] = (...values) => console.error(...values);
  return () => {
    stderr.write = write;
    methods.forEach((name, index) => Object.assign(console, { [name]: before[index] }));
    if (rest !== "") onLine(rest);
  };
}
