import { expect, test } from "vitest";
import { nameModel } from "./provider-name.ts";

test.each([
  ["anthropic:claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"],
  ["google:gemini-3-pro", "gcp.gemini", "gemini-3-pro"],
  ["bedrock:anthropic.claude:0", "aws.bedrock", "anthropic.claude:0"],
  ["toString:x", "toString", "x"],
])("%s is a model of %s", (reference, provider, model) => {
  expect(nameModel(reference)).toEqual({ provider, model });
});
