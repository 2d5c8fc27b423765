import type { z } from "zod";
import { CadreError } from "../../errors.ts";
import { listIssues } from "./field.ts";

/** The schemas of the arguments of methods, by method and position. An absent argument is not checked. */
export type ArgumentSchemas<Target> = Readonly<
  Partial<Record<keyof Target, Readonly<Record<number, z.ZodType>>>>
>;

/**
 * Makes the methods of `target` refuse arguments that do not fit `schemas`: callers without a compiler may pass anything, and a
 * misspelt option would have no effect. Methods that return promises reject; others throw. `name` names the object in messages.
 * Returns `target`.
 */
export function checkArguments<Target extends object>(
  name: string,
  target: Target,
  schemas: ArgumentSchemas<Target>,
): Target {
  for (const [method, positions] of Object.entries(schemas)) {
    const original = target[method as keyof Target] as (...args: unknown[]) => unknown;
    const isAsync = original.constructor.name === "AsyncFunction";
    const called = (...args: unknown[]): unknown => {
      const problem = findProblem(
        `${name}.${method}`,
        args,
        positions as Readonly<Record<string, z.ZodType>>,
      );
      if (problem === undefined) return original.apply(target, args);
      if (isAsync) return Promise.reject(problem);
      throw problem;
    };
    Object.assign(target, { [method]: called });
  }
  return target;
}

function findProblem(
  name: string,
  args: readonly unknown[],
  positions: Readonly<Record<string, z.ZodType>>,
): CadreError | undefined {
  for (const [position, schema] of Object.entries(positions)) {
    const given = args[Number(position)];
    const { error } = given === undefined ? {} : schema.safeParse(given);
    if (error === undefined) continue;
    const message = `Argument ${Number(position) + 1} of ${name} is not valid:${listIssues(error)}`;
    return new CadreError("invalid-argument", message);
  }
  return undefined;
}
