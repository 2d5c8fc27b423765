/** Files that hold keys, tokens or passwords, by the ends of their paths. */
const paths: readonly string[] = [
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".pgpass",
  ".my.cnf",
  ".s3cfg",
  ".boto",
  ".vault-token",
  ".aws/credentials",
  ".docker/config.json",
  ".kube/config",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".claude/.credentials.json",
  ".codex/auth.json",
  ".composer/auth.json",
  ".gem/credentials",
  ".gemini/oauth_creds.json",
  ".terraform.d/credentials.tfrc.json",
];

/** Names of such files in projects. */
const names: readonly RegExp[] = [
  /^\.env(?!.*\.?(?:example|sample|template|dist|defaults)$)(?:\..+)?$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/,
  /^(?:client_secret|service[-_]account)[^/]*\.json$/,
  /^credentials(?:\.json|\.ya?ml|\.toml)?$/,
  /\.tfstate$/,
];

/** Reports whether a file seems to hold keys, tokens or passwords, by its path with slashes. */
export function namesSecret(path: string): boolean {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf("/") + 1);
  return (
    names.some((form) => form.test(name)) ||
    paths.some((end) => lower === end || lower.endsWith(`/${end}`))
  );
}
