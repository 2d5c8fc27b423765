import {
  type AipModule,
  isAbsent,
  optionsOf,
  textArgument,
  textOption,
  textsOf,
} from "../arguments.ts";

/** `aip.cmd`. */
export const cmd: AipModule = {
  exec: (args, ask) => {
    const parameters = isAbsent(args, 2) ? [] : textsOf(args, 2);
    const cwd = textOption(args, optionsOf(args, 3), "cwd");
    return ask("cmd.exec", textArgument(args, 1), parameters, cwd === "" ? undefined : cwd);
  },
};

/** `aip.git`. */
export const git: AipModule = {
  restore: (args, ask) => {
    const path = textArgument(args, 1);
    const done = ask("cmd.exec", "git", ["restore", "--", path]) as {
      exit: number;
      stdout: string;
      stderr: string;
    };
    if (done.exit === 0) return done.stdout;
    throw new Error(`${args.name} failed for ${path}: ${done.stderr.trim()}`);
  },
};
