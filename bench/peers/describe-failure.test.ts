import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { describeFailure } from "./describe-failure.ts";

/** Returns the error with which `execFile` rejects when Node executes `code`. */
async function failureOf(code: string, options: object = {}): Promise<string> {
  try {
    await promisify(execFile)(process.execPath, ["-e", code], options);
  } catch (error) {
    return describeFailure(error);
  }
  throw new Error("Expected the program to fail.");
}

test("an uncaught error is told in its own words", async () => {
  expect(await failureOf('throw new TypeError("no sockets left")')).toBe(
    "TypeError: no sockets left",
  );
});

test("an exit without words is told by its code", async () => {
  expect(await failureOf("process.exitCode = 7")).toBe("exit code 7");
});

test("a signal is told by its name", async () => {
  expect(await failureOf('process.kill(process.pid, "SIGTERM")')).toBe("ended by SIGTERM");
});

test("a program that was stopped has not ended", async () => {
  const stopped = await failureOf("setInterval(() => {}, 1000)", { timeout: 200 });
  expect(stopped).toBe("no end within 10 minutes");
});

test("memory that ran out is told as such", () => {
  const stderr =
    "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory";
  const error = Object.assign(new Error("Command failed"), { signal: "SIGABRT", stderr });
  expect(describeFailure(error)).toBe("out of memory");
});
