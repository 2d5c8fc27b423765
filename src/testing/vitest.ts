/** Adds the matchers of `cadre/testing` and their types to vitest's `expect`, when it is imported (`cadre/testing/vitest`). */

import { expect } from "vitest";
import { cadreMatchers, type CadreMatchers } from "./matchers.ts";

declare module "vitest" {
  // The parameters must be those of vitest.
  interface Matchers<
    R extends void | Promise<void> = void | Promise<void>,
    T = unknown,
  > extends CadreMatchers {}
}

expect.extend(cadreMatchers);
