import { describe, expect, test } from "vitest";
import { runnerLaunch } from "./runner-launch.ts";

const source = { PATH: "/bin", HOME: "/home/me", KEY: "s3cret-value", OTHER: "never" };

describe("the launch of a runner", () => {
  test("has its command, the variables every command inherits, and those before the command", () => {
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

  test("redacts its secrets in the output", () => {
    const { redact } = runnerLaunch("acp:A=$KEY agent", source);
    expect(redact("bad key s3cret-value")).toBe("bad key [secret]");
  });

  test("needs every variable, and the error repeats no other value", () => {
    const start = (): unknown => runnerLaunch("acp:A=hunter2 B=$MISSING agent --token x", source);
    expect(start).toThrow(expect.objectContaining({ code: "model-unavailable" }));
    expect(start).toThrow(/^The runner acp:agent needs the variable MISSING, which is not set\./);
  });

  test("refuses an invalid runner", () => {
    expect(() => runnerLaunch("agent", source)).toThrow(
      expect.objectContaining({ code: "definition-invalid" }),
    );
  });
});
