import { z } from "zod";
import { closedObject } from "../source/closed-object.ts";
import { expectingPublic } from "./secret-value.ts";

const domain = (): z.ZodString =>
  z
    .string()
    .regex(
      /^(?:\*\.)?[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/i,
      expectingPublic(
        "a domain such as example.com or *.example.com, without https:// and without a port",
      ),
    );

/** Creates the schema of the network access of commands. */
export const networkSetting = (): z.ZodType =>
  z.union([z.boolean(), closedObject({ allow: z.array(domain()).min(1) })]);

/** For each group that accepts a string, the setting that the string sets. */
export const shortForms: Readonly<Record<string, string>> = { sandbox: "mode" };
