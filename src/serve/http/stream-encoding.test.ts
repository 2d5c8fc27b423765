import { constants, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { chooseEncoding, encodeBegin, encodePart, encodeShort } from "./stream-encoding.ts";

test("readers who began anywhere can read the same compressed parts", async () => {
  const parts = await Promise.all(
    ["data: one\n\n".repeat(1000), "", "data: two\n\n".repeat(1000)].map((text) =>
      encodePart(text, "gzip"),
    ),
  );
  const [first, empty, last] = parts;
  expect(empty).toHaveLength(0);
  expect(first?.length).toBeLessThan(500);
  const read = (...sent: readonly (Uint8Array | undefined)[]): string => {
    const bytes = Buffer.concat([
      encodeBegin(": open\n\n", "gzip"),
      ...sent.flatMap((one) => one ?? []),
    ]);
    // The stream has no end.
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  };
  const silence = encodeShort(": \n\n", "gzip");
  expect(read(first, silence, last)).toBe(
    `: open\n\n${"data: one\n\n".repeat(1000)}: \n\n${"data: two\n\n".repeat(1000)}`,
  );
  expect(read(last)).toBe(`: open\n\n${"data: two\n\n".repeat(1000)}`);
});

test("a stream is compressed for those who accept it", async () => {
  const accepts = (value?: string): string =>
    chooseEncoding(
      new Request("http://x/", {
        headers: value === undefined ? {} : { "accept-encoding": value },
      }),
    );
  expect(accepts()).toBe("identity");
  expect(accepts("gzip, deflate, br")).toBe("gzip");
  expect(accepts("gzip;q=0, br")).toBe("identity");
  expect(accepts("br")).toBe("identity");
  const text = await encodePart("data: ä\n\n", "identity");
  expect(new TextDecoder().decode(text)).toBe("data: ä\n\n");
});
