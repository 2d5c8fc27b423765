import { type AipModule, type Arguments, textArgument } from "./arguments.ts";

/** `aip.semver`. */
export const semver: AipModule = {
  compare: (args) => {
    const [left, right] = [versionOf(args, 1), versionOf(args, 3)];
    const operator = textArgument(args, 2);
    const test = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
    if (test === undefined)
      throw new Error(
        `${args.name} expects one of ${Object.keys(operators).join(" ")} as argument 2, got ${operator}`,
      );
    return test(compareVersions(left, right), left.build === right.build);
  },
  parse: (args) => {
    const { numbers, prerelease, build } = versionOf(args, 1);
    const [major = 0, minor = 0, patch = 0] = numbers;
    return {
      major,
      minor,
      patch,
      ...(prerelease !== "" && { prerelease }),
      ...(build !== "" && { build }),
    };
  },
  is_prerelease: (args) => versionOf(args, 1).prerelease !== "",
  valid: (args) => readVersion(textArgument(args, 1)) !== undefined,
};

interface Version {
  numbers: number[];
  prerelease: string;
  build: string;
}

/** Builds have no order, but versions with different builds are not equal. */
const operators: Readonly<Record<string, (order: number, isSameBuild: boolean) => boolean>> = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  "=": (order, isSameBuild) => order === 0 && isSameBuild,
  "==": (order, isSameBuild) => order === 0 && isSameBuild,
  ">=": (order) => order >= 0,
  ">": (order) => order > 0,
  "!=": (order, isSameBuild) => order !== 0 || !isSameBuild,
  "~=": (order, isSameBuild) => order !== 0 || !isSameBuild,
};

const pattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;

function readVersion(text: string): Version | undefined {
  const match = pattern.exec(text.trim());
  if (match === null) return undefined;
  const [, major, minor, patch, prerelease = "", build = ""] = match;
  return { numbers: [Number(major), Number(minor), Number(patch)], prerelease, build };
}

function versionOf(args: Arguments, position: number): Version {
  const text = textArgument(args, position);
  const version = readVersion(text);
  if (version !== undefined) return version;
  throw new Error(
    `${args.name} expects a version such as 1.2.3 as argument ${position}, got ${JSON.stringify(text)}`,
  );
}

function compareVersions(left: Version, right: Version): number {
  for (const [index, number] of left.numbers.entries()) {
    const difference = number - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.prerelease === right.prerelease) return 0;
  if (left.prerelease === "") return 1;
  if (right.prerelease === "") return -1;
  return comparePrereleases(left.prerelease.split("."), right.prerelease.split("."));
}

function comparePrereleases(left: readonly string[], right: readonly string[]): number {
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (part === other) continue;
    const isNumber = /^\d+$/.test(part);
    const isOtherNumber = /^\d+$/.test(other);
    if (isNumber && isOtherNumber) return Number(part) - Number(other);
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return part < other ? -1 : 1;
  }
  return left.length - right.length;
}
