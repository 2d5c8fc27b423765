import { once } from "node:events";
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer as createWebServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAttacker, hasSandbox, listAll } from "../fixtures/attack/attacker.ts";
import { temporaryFolder } from "../fixtures/tool-call.ts";

describe.runIf(hasSandbox)("in the sandbox", () => {
  test("folders that the user made writable can be written, and nothing beside them", async () => {
    const folder = temporaryFolder();
    const attacker = createAttacker({ writable: [join(folder, ".vscode")] });
    const command = "mkdir .vscode .cadre; echo x > .vscode/tasks.json; echo x > .cadre/a.yaml";
    await attacker.run(command, folder);
    expect(listAll(folder)).toEqual([".vscode", ".vscode/tasks.json"]);
  });

  test("credentials of other tools cannot be read, and toolchains can", async () => {
    const { home, run } = createAttacker();
    const secrets = [
      ".claude/.credentials.json",
      ".codex/auth.json",
      ".gemini/oauth_creds.json",
      ".local/share/opencode/auth.json",
      ".config/goose/secrets.yaml",
      ".config/github-copilot/apps.json",
      ".cargo/credentials.toml",
      ".vault-token",
      ".config/rclone/rclone.conf",
      ".config/google-chrome/Default/Login Data",
      ".mozilla/firefox/x/logins.json",
      ".local/share/keyrings/login.keyring",
      ".ssh/id_ed25519",
      ".gem/credentials",
      ".m2/settings.xml",
      ".gradle/gradle.properties",
      ".anything/else",
    ];
    const tools = [".cargo/bin/tool", ".nvm/x", ".local/bin/tool", ".m2/repository/x"];
    for (const path of [...secrets, ...tools]) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), secrets.includes(path) ? "hidden-key" : "a tool");
    }
    const { text } = await run(
      `grep -r "hidden-key" ~ ${home} /home /root; cd ~ && cat ${tools.join(" ")}`,
    );
    expect(text).not.toContain("hidden-key");
    expect(text.match(/a tool/g)).toHaveLength(tools.length);
  });

  test("other folders of the machine, and keys of the system, are hidden", async () => {
    const beside = temporaryFolder();
    writeFileSync(join(beside, "file"), "hidden-key");
    const { run } = createAttacker();
    const { text } = await run(
      `cat ${beside}/file /etc/shadow /etc/gshadow; ls /etc/ssl/private /var/lib /var/log /srv /mnt /media; ls -A /root /home /run /`,
    );
    expect(text).not.toContain("hidden-key");
    expect(text).not.toMatch(/^root:/m);
    expect(text).not.toMatch(/^(?:dpkg|syslog|srv|mnt)/m);
    const shown = createAttacker({ readable: [beside] });
    expect((await shown.run(`cat ${beside}/file; echo x > ${beside}/file`)).text).toContain(
      "hidden-key",
    );
    expect(readFileSync(join(beside, "file"), "utf8")).toBe("hidden-key");
  });

  test("unix sockets cannot be reached, wherever they listen", async () => {
    const attacker = createAttacker({ readable: ["/var/tmp"] });
    const folders = [temporaryFolder(), "/var/tmp", attacker.workspace, attacker.home, "/run"];
    const paths: string[] = [];
    for (const folder of folders) {
      const path = join(folder, `cadre-${process.pid}-${paths.length}.sock`);
      const server = createServer((socket) => socket.end("reached")).listen(path);
      await once(server, "listening");
      onTestFinished(() => void server.close());
      paths.push(path);
    }
    const connect = (path: string): string =>
      `node -e 'require("net").connect(${JSON.stringify(path)}).on("data", d => console.log(""+d)).on("error", e => console.log(e.code))'`;
    const { text } = await attacker.run(paths.map(connect).join("; "));
    expect(text).not.toContain("reached");
    expect(text.match(/EACCES|ENOENT/g)).toHaveLength(paths.length);
    // The same attempt with ordinary sockets.
    const allowed = createAttacker({ unixSockets: true });
    const own = "own.sock";
    const server = createServer((socket) => socket.end("reached"));
    server.listen(join(allowed.workspace, own));
    await once(server, "listening");
    onTestFinished(() => void server.close());
    expect((await allowed.run(connect(own))).text).toContain("reached");
  });

  test("alternatives to socket() are refused too: 32-bit calls and io_uring", async () => {
    const { run } = createAttacker();
    const { text } = await run(
      `perl -e 'my $r = syscall(425, 8, 0); print "ring $r ", $!+0, "\\n"; my $s = syscall(41, 1, 1, 0); print "socket $s ", $!+0, "\\n"; my $t = syscall(0x40000029, 1, 1, 0); print "x32 $t ", $!+0, "\\n"; my $i = syscall(41, 2, 1, 0); print "inet ", $i > 0, "\\n"'`,
    );
    const expected =
      process.arch === "x64" ? "ring -1 13\nsocket -1 13\nx32 -1 13\ninet 1" : "ring -1 13";
    expect(text).toContain(expected);
  });

  test("files named by deny rules are hidden or read-only", async () => {
    const deny = ["Read(.env)", "Read(secrets/**)", "Edit(docs/**)"];
    const attacker = createAttacker({}, deny);
    for (const path of [".env", "deep/.env", "secrets/a/b", "real", "other"]) {
      attacker.write(path, "hidden-key");
    }
    attacker.write("docs/page.md", "kept");
    renameSync(join(attacker.workspace, "real"), join(attacker.workspace, "really"));
    symlinkSync("../really", join(attacker.workspace, "deep/link"));
    const { text } = await attacker.run(
      "cat .env deep/.env secrets/a/b; mv .env x; cat x; mv deep away; cat away/.env; mv secrets y; cat y/a/b; ln .env z; cat z; cp -r . /tmp/copy; cat /tmp/copy/.env; echo x > docs/page.md; mv docs gone; umount .env; cat .env",
    );
    expect(text).not.toContain("hidden-key");
    expect(attacker.read(".env")).toBe("hidden-key");
    expect(attacker.read("docs/page.md")).toBe("kept");
    expect((await attacker.run("cat other")).text).toBe("hidden-key");
    expect((await attacker.run("echo mine > new.env; cat new.env")).text).toBe("mine");
  });

  test("a command is refused when deny rules name more files than can be hidden", async () => {
    const attacker = createAttacker({}, ["Read(*.key)"]);
    for (let index = 0; index < 201; index += 1) attacker.write(`keys/${index}.key`);
    expect((await attacker.run("cat keys/1.key")).text).toContain("at most 200");
  });

  test("listed hosts are reached, by curl and by node", async () => {
    const port = await startWebServer();
    const url = `http://localhost:${port}`;
    const { run } = createAttacker({ network: { allow: [`localhost:${port}`] } });
    const code = `fetch("${url}/b").then(async (answer) => console.log(await answer.text()))`;
    const { text, isError } = await run(
      `curl -sS ${url}/a; curl -sS -p ${url}/tunnel; ${process.execPath} -e '${code}'`,
    );
    expect(text).toBe("asked /a\nasked /tunnel\nasked /b");
    expect(isError).toBeUndefined();
  });

  test("other hosts are refused, and the answer names the missing rules", async () => {
    const [listed, other] = [await startWebServer(), await startWebServer()];
    const { run } = createAttacker({ network: { allow: [`localhost:${listed}`] } });
    const code = `fetch("https://node.example.org/").catch((error) => console.log(String(error)))`;
    const { text, isError } = await run(
      `curl -sS http://localhost:${other}/; curl -sS http://example.com/; ${process.execPath} -e '${code}'; curl -sS --noproxy '*' http://127.0.0.1:${listed}/; true`,
    );
    expect(text).not.toContain("asked");
    expect(text).toContain(`add "localhost:${other}" to sandbox.network.allow`);
    expect(text).toContain(`does not list: localhost:${other}, example.com, node.example.org.]`);
    expect(isError).toBe(true);
  });

  test("unix sockets cannot be reached in a network with allowed hosts either", async () => {
    const port = await startWebServer();
    const { run, workspace } = createAttacker({ network: { allow: [`localhost:${port}`] } });
    const server = createServer((socket) => socket.end("reached"));
    server.listen(join(workspace, "own.sock"));
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { text } = await run(
      `curl -sS http://localhost:${port}/; perl -e 'my $s = syscall(41, 1, 1, 0); print "socket $s ", $!+0, "\\n"'; node -e 'require("net").connect("own.sock").on("data", d => console.log(""+d)).on("error", e => console.log(e.code))'`,
    );
    expect(text).not.toContain("reached");
    expect(text).toMatch(/^asked \/\n/);
    if (process.arch === "x64") expect(text).toContain("socket -1 13\n");
    expect(text).toMatch(/EACCES$/);
  });
});

/** Starts a web server on this machine. Returns its port. */
async function startWebServer(): Promise<number> {
  const server = createWebServer(({ url }, response) => response.end(`asked ${url}\n`));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
