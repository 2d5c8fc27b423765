import { describe, expect, test } from "vitest";
import { runnerLaunch } from "./runner-launch.ts";

const source = { PATH: "/bin", HOME: "/home/me", KEY: "s3cret-value", OTHER: "never" };

describe("what a runner is started with", () => {
  test("is its command, what every command inherits, and the variables before it", () => {
    const { command, args, environment } = runnerLaunch(
      'acp:A_KEY=$KEY B="x-${KEY}-y" agent $KEY',
      source,
    );
    expect({ command, args }).toEqual({ command: "agent", args: ["$KEY"] });
    expect(environment).toMatchObject({
      PATH: "/bin",
      HOME: "/home/me",
      A_KEY: "s3cret-value",
      B: "x-s3cret-value-y",
    });
    expect(environment).not.toHaveProperty("OTHER");
    expect(environment).not.toHaveProperty("KEY");
  });

  test("is hidden in what it says", () => {
    const { redact } = runnerLaunch("acp:A=$KEY agent", source);
    expect(redact("bad key s3cret-value")).toBe("bad key [secret]");
  });

  test("must be there, and the message does not repeat what else was given", () => {
    const start = (): unknown => runnerLaunch("acp:A=hunter2 B=$MISSING agent --token x", source);
    expect(start).toThrow(expect.objectContaining({ code: "model-unavailable" }));
    expect(start).toThrow(/^The runner acp:agent needs the variable MISSING, which is not set\./);
  });

  test("must be a runner", () => {
    expect(() => runnerLaunch("agent", source)).toThrow(
      expect.objectContaining({ code: "definition-invalid" }),
    );
  });
});
