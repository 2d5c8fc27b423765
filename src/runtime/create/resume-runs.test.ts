import { describe, expect, onTestFinished, test } from "vitest";
import { CadreError } from "../../errors.ts";
import type { ResumeOptions } from "../cadre.ts";
import type { Services } from "../services/services.ts";
import { resumeRuns } from "./resume-runs.ts";
import type { Store } from "../services/store.ts";

/** Resumes these roots with an engine that fails as given, by root. */
async function resume(
  roots: readonly string[],
  failures: Record<string, CadreError>,
  options: ResumeOptions = {},
): Promise<string[]> {
  const registry = { abandoned: async () => [...roots] };
  const store = { openExisting: () => registry } as unknown as Store;
  const engine = {
    async resume(root: string) {
      if (failures[root] !== undefined) throw failures[root];
    },
  };
  const services = { getToExecute: async () => ({ engine }) as unknown as Services };
  return await resumeRuns({ store, services }, undefined, options);
}

const noModel = new CadreError("model-unavailable", "no key for a");
const owned = new CadreError("run-owned", "somebody was quicker");

describe("resuming all families", () => {
  test("resumes those that can be resumed, and warns about the others", async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error): void => void warnings.push(message);
    process.on("warning", note);
    onTestFinished(() => void process.off("warning", note));
    expect(await resume(["a", "b", "c"], { a: noModel })).toEqual(["b", "c"]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual(["A run was not resumed: no key for a"]);
  });

  test("reports refused families to the caller, even when all were refused", async () => {
    const received: string[] = [];
    const onRefused: ResumeOptions["onRefused"] = (root, { message }) => {
      received.push(`${root}: ${message}`);
    };
    expect(await resume(["a", "b"], { a: noModel }, { onRefused })).toEqual(["b"]);
    expect(await resume(["b"], { b: noModel }, { onRefused })).toEqual([]);
    expect(received).toEqual(["a: no key for a", "b: no key for a"]);
  });

  test("rejects if no family can be resumed", async () => {
    await expect(resume(["a", "b"], { a: noModel, b: noModel })).rejects.toBe(noModel);
  });

  test("does not report families that another process resumed first", async () => {
    expect(await resume(["a", "b"], { a: owned })).toEqual(["b"]);
    expect(await resume(["a"], { a: owned })).toEqual([]);
  });
});
