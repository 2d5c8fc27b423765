import type { CommandRisk } from "./command-risk.ts";
import { programRisks } from "./risk-table.ts";

/** Returns the known risks of a program by its name or path; `undefined` for an unknown program. */
export function riskOf(program: string): CommandRisk | undefined {
  const name = programName(program);
  const known = aliases.get(name) ?? name.replace(/(?<=^python\d?)[\d.]+$/, "");
  return programRisks.get(known) ?? (harmless.has(known) ? {} : undefined);
}

/** Returns the name of a program without its folder. */
export function programName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

/** Reports whether a program runs code from its input, a file or its arguments. */
export function isInterpreter(program: string): boolean {
  const name = programName(program);
  return interpreters.has(name) || interpreters.has(name.replace(/[\d.]+$/, ""));
}

const interpreters: ReadonlySet<string> = new Set(
  `. ash at awk bash batch bun busybox crontab csh dash deno eval expect fish gawk ksh lua make mawk mksh node parallel perl php python
  ruby sh source ssh tclsh tcsh toybox tsx xargs zsh`.split(/\s+/),
);

/** Programs that treat the rest of their command line as data, and have no option that writes elsewhere or runs a program. */
const harmless: ReadonlySet<string> = new Set(
  `: [ basename break cal cat cd chgrp chmod chown cksum clear cmp comm continue cp cut df diff dir dirname du echo egrep exit
  expr false fgrep fmt fold grep groups head hostname id join jq kill killall la ll ln logname ls lsof md5sum mkdir mkfifo
  mktemp mv nl nproc od paste pgrep pidof ping pkill popd pr printenv printf ps pushd pwd readlink realpath return rm rmdir
  seq sha1sum sha256sum sha512sum shift sleep stat sum sync tac tail tee test touch tput tr true truncate tty type ulimit
  umask uname unexpand uniq unlink unset unzip uptime vmstat wc whereis which who whoami xxd yes`
    .trim()
    .split(/\s+/),
);

/** Alternative names of programs. */
const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bsdtar: "tar",
    fdfind: "fd",
    gawk: "awk",
    gmake: "make",
    gsed: "sed",
    gtar: "tar",
    mawk: "awk",
    nawk: "awk",
    nodejs: "node",
    nvim: "vim",
    podman: "docker",
    python2: "python",
    python3: "python",
    vi: "vim",
    view: "vim",
    vimdiff: "vim",
  }),
);
