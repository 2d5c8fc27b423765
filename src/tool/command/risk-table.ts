import type { CommandRisk } from "./command-risk.ts";
import { hasSedCommand } from "./sed-script.ts";

const variableOfMake = /^[A-Za-z_.][\w.]*[:?+!]*=/;

/** The risks of the programs that people allow most often, and of programs that start others. */
export const programRisks: ReadonlyMap<string, CommandRisk> = new Map<string, CommandRisk>(
  Object.entries<CommandRisk>({
    git: {
      globalOptions: { runs: "-p --paginate", loads: "-c -C --bare --attr-source" },
      options: {
        writes: "--output --output-directory",
        runs: "--exec-path --upload-pack --receive-pack --upload-archive --ext-diff --textconv --exec --extcmd --open-files-in-pager",
        loads:
          "--config --config-env --git-dir --work-tree --template --namespace --separate-git-dir",
      },
      harmless: "--text",
      words: { runs: /^(?:ext|fd)::|\bext::/ },
      subcommands: {
        writes: "archive bundle bugreport diagnose fast-export format-patch",
        runs: "citool credential daemon difftool filter-branch gui hook instaweb maintenance mergetool p4 receive-pack remote-ext send-email shell svn upload-pack",
        loads: "config init",
      },
      within: {
        archive: { options: { writes: "-o", runs: "--remote" } },
        bisect: { words: { runs: /^(?:run|view|visualize)$/ } },
        clone: { options: { runs: "-u", loads: "-c" } },
        difftool: { options: { runs: "-x" } },
        "format-patch": { options: { writes: "-o" } },
        grep: { options: { runs: "-O" }, valued: "ABCefm" },
        rebase: { options: { runs: "-x" } },
        remote: { words: { loads: /^(?:add|set-url)$/ } },
        submodule: { words: { runs: /^(?:add|foreach|update)$/ } },
      },
    },
    find: {
      isWordStyle: true,
      options: {
        runs: "-exec -execdir -ok -okdir",
        writes: "-delete -fprint -fprint0 -fprintf -fls",
      },
    },
    fd: { options: { runs: "-x -X --exec --exec-batch" }, valued: "cdEejtS" },
    file: { options: { writes: "-C --compile", runs: "-z -Z --uncompress" }, valued: "FfmPe" },
    rg: { options: { runs: "--pre --hostname-bin" } },
    sort: {
      options: {
        writes: "-o --output -T --temporary-directory",
        runs: "--compress-program",
        sends: "--files0-from",
      },
      valued: "ktS",
    },
    split: { options: { runs: "--filter" }, valued: "abClnt" },
    sed: {
      options: { writes: "-i --in-place", loads: "-f --file" },
      words: {
        runs: { test: (word, before) => hasSedCommand(word, before, "e") },
        writes: { test: (word, before) => hasSedCommand(word, before, "wW") },
      },
    },
    awk: {
      options: {
        writes: "-o --pretty-print -d --dump-variables -p --profile",
        runs: "-D --debug",
        loads: "-f --file -i --include -l --load -E --exec",
      },
      valued: "Fv",
      words: { runs: /system|\||getline|@(?:load|include)/, writes: />/ },
    },
    tar: {
      isBundled: true,
      options: {
        runs: "-I -F --checkpoint-action --to-command --use-compress-program --rsh-command --rmt-command --info-script --new-volume-script",
        writes: "-P --absolute-names --remove-files --index-file",
        loads: "-T --files-from",
      },
      valued: "fCX",
    },
    zip: { options: { runs: "-T --test --unzip-command" } },
    curl: {
      options: {
        writes:
          "-o --output -O --remote-name --remote-name-all --output-dir -c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --libcurl --etag-save --hsts --alt-svc",
        sends: "-T --upload-file -n --netrc --netrc-file --netrc-optional -E --cert --key",
        loads: "-K --config --engine --unix-socket --abstract-unix-socket",
      },
      valued: "AbdeFHmPQrtuwXxyYz",
      words: { sends: /^@|^-\w*[bdFH].*@|^--[\w-]+=.*@|=[@<]|^file:/i },
    },
    wget: {
      options: {
        writes:
          "-O --output-document -o --output-file -a --append-output -P --directory-prefix --save-cookies --warc-file --rejected-log --hsts-file",
        sends: "--post-file --body-file --load-cookies",
        loads: "-e --execute -i --input-file --config --use-askpass",
      },
      valued: "ADIlQRtTUwX",
    },
    ssh: {
      runsArguments: true,
      options: { runs: "-o -J", loads: "-F -I -S", writes: "-E" },
      valued: "bcDeilLmpQRwW",
    },
    scp: { options: { runs: "-o -S -J -D", loads: "-F" }, valued: "ciPlX" },
    rsync: {
      options: {
        runs: "-e --rsh --rsync-path",
        writes: "--log-file --write-batch --only-write-batch --backup-dir --temp-dir -T",
        loads: "--config --daemon -M --remote-option --files-from",
      },
      valued: "Bf",
    },
    npm: {
      options: {
        runs: "-c --call --script-shell --shell --editor --viewer --browser --git --node-options --init-module",
        loads: "-C --prefix --userconfig --globalconfig --registry -g --global",
      },
      subcommands: {
        runs: "create edit exec explore init innit x",
        loads: "c config link ln set",
        sends: "login publish token",
      },
    },
    npx: {
      runsArguments: true,
      options: { runs: "--script-shell --shell --node-options", loads: "--prefix --userconfig" },
    },
    yarn: {
      options: { loads: "--cwd --global-folder --modules-folder --prefix --use-yarnrc --registry" },
      subcommands: {
        runs: "create dlx exec node",
        loads: "config global link plugin set",
        sends: "npm publish",
      },
    },
    pnpm: {
      options: {
        runs: "-c --shell-mode --script-shell --node-options",
        loads: "-C --dir --prefix --config-dir --modules-dir --registry -g --global",
      },
      subcommands: {
        runs: "create dlx env exec patch-commit",
        loads: "config link set",
        sends: "publish",
      },
    },
    node: {
      options: {
        runs: "-e --eval -p --print -i --interactive --inspect --inspect-brk --inspect-wait",
        loads:
          "-r --require --import --loader --experimental-loader --env-file --env-file-if-exists --openssl-config --experimental-config-file --experimental-default-config-file --build-snapshot --test-global-setup --test-reporter",
        writes:
          "--redirect-warnings --report-dir --report-directory --report-filename --diagnostic-dir --cpu-prof-dir --heap-prof-dir --trace-event-file-pattern --test-reporter-destination --localstorage-file --logfile --tls-keylog",
      },
      harmless: "--test",
    },
    python: { options: { runs: "-c -m -i" }, valued: "WX", words: { runs: /^-$/ } },
    pytest: {
      options: {
        loads:
          "-p -c --config-file --rootdir --confcutdir -o --override-ini --import-mode --pdbcls --cov-config",
        writes: "--basetemp --junitxml --junit-xml --log-file --debug --report-log",
      },
      harmless: "--co --cov",
      valued: "kmnrW",
      words: { writes: /^--cov-report=.*:/ },
    },
    go: {
      isWordStyle: true,
      options: {
        runs: "-exec -toolexec -vettool -ldflags -gccgoflags",
        loads: "-C -modfile -overlay -pkgdir",
        writes:
          "-o -w -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -outputdir",
      },
      subcommands: { runs: "generate get install tool" },
    },
    cargo: {
      options: {
        loads: "-C -Z --config --manifest-path --registry",
        writes: "--target-dir --artifact-dir --root",
      },
      subcommands: { runs: "install", loads: "add config", sends: "login owner publish yank" },
    },
    make: {
      options: {
        runs: "-E --eval",
        loads: "-C --directory -f --file --makefile -I --include-dir -e --environment-overrides",
      },
      valued: "jlOW",
      words: { runs: variableOfMake },
    },
    eslint: {
      options: {
        writes: "--fix -o --output-file --cache-location --cache-file",
        loads: "-c --config --rulesdir --resolve-plugins-relative-to --parser --plugin -f --format",
      },
      harmless: "--cache",
    },
    prettier: {
      options: {
        writes: "-w --write --cache-location",
        loads: "--config --plugin --plugin-search-dir",
      },
      harmless: "--cache",
    },
    tsc: {
      isWordStyle: true,
      options: { writes: "-init -outDir -outFile -declarationDir -tsBuildInfoFile -generateTrace" },
    },
    vitest: {
      isWordStyle: true,
      options: {
        loads: "-c -config -r -root -globalSetup -setupFiles -environment -reporter",
        writes: "-outputFile",
      },
    },
    jest: {
      isWordStyle: true,
      options: {
        loads:
          "-c -config -rootDir -globalSetup -globalTeardown -setupFiles -setupFilesAfterEnv -testRunner -runner -transform -resolver -reporters -testEnvironment",
        writes: "-outputFile -coverageDirectory -cacheDirectory",
      },
    },
    docker: {
      globalOptions: { loads: "-H --host -c --context --config" },
      subcommands: {
        runs: "build buildx compose cp create exec plugin run service stack start swarm",
        writes: "export save",
        loads: "context import load",
        sends: "login push",
      },
      within: {
        run: {
          options: {
            runs: "--entrypoint --privileged --cap-add --device --security-opt --pid --ipc --userns",
            loads: "-v --volume --volumes-from --mount --env-file --network --net",
            writes: "--cidfile",
          },
          valued: "acehlmpuw",
        },
        exec: { options: { runs: "--privileged", loads: "--env-file" }, valued: "euw" },
      },
    },
    gh: {
      options: { writes: "--output", sends: "-F --body-file --input" },
      subcommands: {
        runs: "alias codespace cs ext extension extensions",
        loads: "auth config",
        sends: "api gist secret variable ssh-key gpg-key",
      },
    },
    less: {
      options: { writes: "-o -O --log-file --LOG-FILE", loads: "-k --lesskey-file --lesskey-src" },
      valued: "bhjPpTtxyz",
      words: { runs: /^\+/ },
    },
    man: {
      options: {
        runs: "-P --pager -H --html -E --preprocessor -p",
        loads: "-C --config-file -l --local-file -M --manpath",
      },
      valued: "LmRrSse",
    },
    vim: { options: { runs: "-c --cmd -S -s -u -U", writes: "-w -W" }, words: { runs: /^\+/ } },
    yq: { options: { writes: "-i --inplace -s --split-exp" } },
    date: { options: { writes: "-s --set" }, valued: "dfIr" },
    tree: { options: { writes: "-o" }, valued: "ILP" },
    builtin: { starts: { operands: 0, valueOptions: "" } },
    command: { starts: { operands: 0, valueOptions: "" } },
    doas: { options: { runs: "-s", loads: "-C" }, starts: { operands: 0, valueOptions: "-u" } },
    env: {
      options: { runs: "-S --split-string", loads: "-C --chdir" },
      starts: { operands: 0, valueOptions: "-u --unset" },
    },
    exec: { starts: { operands: 0, valueOptions: "-a" } },
    nice: { starts: { operands: 0, valueOptions: "-n --adjustment" } },
    nohup: { starts: { operands: 0, valueOptions: "" } },
    setsid: { starts: { operands: 0, valueOptions: "" } },
    stdbuf: { starts: { operands: 0, valueOptions: "-i -o -e --input --output --error" } },
    sudo: {
      options: { runs: "-e --edit -i --login -s --shell", loads: "-D --chdir -R --chroot" },
      starts: {
        operands: 0,
        valueOptions: "-C -g --group -h --host -p --prompt -r -T -t -u --user",
      },
    },
    time: {
      options: { writes: "-o --output" },
      starts: { operands: 0, valueOptions: "-f --format" },
    },
    timeout: { starts: { operands: 1, valueOptions: "-s --signal -k --kill-after" } },
    xargs: {
      options: { loads: "-a --arg-file" },
      starts: { operands: 0, valueOptions: "-d -E -I -L -n -P -s --delimiter" },
    },
  }),
);
