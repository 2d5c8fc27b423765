import { expect } from "vitest";
import { type Expectation, gives, expectScript } from "../expectation.ts";

const versions: [string, string, string, boolean][] = [
  ["1.2.3", ">", "1.2.0", true],
  ["1.2.3", "<", "1.3.0", true],
  ["1.2.3", "=", "1.2.3", true],
  ["1.2.3", "==", "1.2.3", true],
  ["1.2.3", ">=", "1.2.3", true],
  ["1.2.3", "<=", "1.2.3", true],
  ["1.2.3", ">", "1.2.3", false],
  ["1.2.3", "<", "1.2.3", false],
  ["1.2.3", "!=", "1.2.0", true],
  ["1.2.3", "~=", "1.2.0", true],
  ["0.6.12-WIP", ">", "0.6.9", true],
  ["0.6.7-wip", "<", "0.6.8", true],
  ["0.6.7-wip", "<", "0.6.7", true],
  ["0.6.7-alpha", "<", "0.6.7", true],
  ["0.6.7-alpha.1", "<", "0.6.7-alpha.2", true],
  ["0.6.7-alpha.1", "<", "0.6.7-beta", true],
  ["1.2.3-alpha", ">", "1.2.0", true],
  ["1.2.0", "<", "1.2.3-alpha", true],
  ["1.0.0+build", "=", "1.0.0", false],
  ["1.2.3-alpha", "<", "1.2.3", true],
  ["1.2.3-alpha", "<", "1.2.4", true],
  ["1.2.3", ">", "1.2.3-alpha", true],
  ["1.2.3-alpha", "!=", "1.2.3", true],
  ["1.0.0+build", "!=", "1.0.0", true],
  ["1.2.3-alpha", "~=", "1.2.3", true],
];
const hashes: Readonly<Record<string, string>> = {
  sha256: "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
  sha256_b58: "DULfJyE3WQqNxy3ymuhAChyNR3yufT88pmqvAazKFMG4",
  sha256_b64: "uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=",
  sha256_b64u: "uU0nuZNNPgilLlLX2n2r-sSE7-N6U4DukIj3rOLvzek",
  sha512:
    "309ecc489c12d6eb4cc40f50c902f2b4d0ed77ee511a7c7a9bcd3ca86d4cd86f989dd35bc5ff499670da34255b45b0cfd830e81f605dcf7dc5542e93ae9cd76f",
  sha512_b58:
    "yP4cqy7jmaRDzC2bmcGNZkuQb3VdftMk6YH7ynQ2Qw4zktKsyA9fk52xghNQNAdkpF9iFmFkKh2bNVG4kDWhsok",
  sha512_b64:
    "MJ7MSJwS1utMxA9QyQLytNDtd+5RGnx6m808qG1M2G+YndNbxf9JlnDaNCVbRbDP2DDoH2Bdz33FVC6TrpzXbw==",
  sha512_b64u:
    "MJ7MSJwS1utMxA9QyQLytNDtd-5RGnx6m808qG1M2G-YndNbxf9JlnDaNCVbRbDP2DDoH2Bdz33FVC6TrpzXbw",
  blake3: "d74981efa70a0c880b8d8c1985d075dbcbf679b99a5f9914e5aaf96b831a9e24",
  blake3_b58: "FVPfbg9bK7mj7jnaSRXhuVcVakkXcjMPgSwxmauUofYf",
  blake3_b64: "10mB76cKDIgLjYwZhdB128v2ebmaX5kU5ar5a4ManiQ=",
  blake3_b64u: "10mB76cKDIgLjYwZhdB128v2ebmaX5kU5ar5a4ManiQ",
};

/** `aip.semver`, `aip.hash`, `aip.uuid` and `aip.time`. */
export const value: Expectation[] = [
  ...versions.map(([left, operator, right, expected]) =>
    gives("semver.compare", [left, operator, right], expected),
  ),
  gives("semver.parse", ["1.2.3-beta.1+build.123"], {
    major: 1,
    minor: 2,
    patch: 3,
    prerelease: "beta.1",
    build: "build.123",
  }),
  ...(["1.2.3", "1.0.0+build.123"] as const).map((version) =>
    gives("semver.is_prerelease", [version], false),
  ),
  ...["1.2.3-beta", "0.6.7-WIP", "1.0.0-alpha+build.123"].map((version) =>
    gives("semver.is_prerelease", [version], true),
  ),
  ...["1.2.3", "1.2.3-beta", "0.6.7-WIP", "1.0.0+build.123"].map((version) =>
    gives("semver.valid", [version], true),
  ),
  ...["invalid", "1.0"].map((version) => gives("semver.valid", [version], false)),
  ...Object.entries(hashes).flatMap(([name, hash]) => [
    gives(`hash.${name}`, ["hello world"], hash),
    gives(`hash.${name}`, [null], null),
  ]),
  ...["new", "new_v4", "new_v7"].map((name) =>
    gives(`uuid.${name}`, [], expect.stringMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/)),
  ),
  ...["new_v4_b64", "new_v7_b64"].map((name) =>
    gives(`uuid.${name}`, [], expect.stringMatching(/^[\w+/]{22}==$/)),
  ),
  ...["new_v4_b64u", "new_v7_b64u"].map((name) =>
    gives(`uuid.${name}`, [], expect.stringMatching(/^[\w-]{22}$/)),
  ),
  ...["new_v4_b58", "new_v7_b58"].map((name) =>
    gives(`uuid.${name}`, [], expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{20,22}$/)),
  ),
  expectScript(
    "local now = aip.time.now_utc_micro() / 1000 return math.abs(aip.uuid.to_time_epoch_ms(aip.uuid.new_v7()) - now) < 10000",
    true,
  ),
  expectScript("return aip.uuid.to_time_epoch_ms(aip.uuid.new_v4())", null),
  gives("uuid.to_time_epoch_ms", [null], null),
  ...["today_utc", "today_local"].map((name) =>
    gives(`time.${name}`, [], expect.stringMatching(/^[A-Z][a-z]+day \d{4}-\d\d-\d\d$/)),
  ),
  ...["today_iso_utc", "today_iso_local"].map((name) =>
    gives(`time.${name}`, [], expect.stringMatching(/^\d{4}-\d\d-\d\d$/)),
  ),
  ...["weekday_utc", "weekday_local"].map((name) =>
    gives(`time.${name}`, [], expect.stringMatching(/^[A-Z][a-z]+day$/)),
  ),
  ...["now_iso_utc", "now_iso_local", "now_iso_utc_micro", "now_iso_local_micro"].map((name) =>
    gives(`time.${name}`, [], expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/)),
  ),
  gives("time.local_tz_id", [], expect.stringMatching(/./)),
];
