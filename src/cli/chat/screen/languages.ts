/** The languages that code blocks are highlighted in. */

import bash from "@speed-highlight/core/languages/bash.js";
import c from "@speed-highlight/core/languages/c.js";
import css from "@speed-highlight/core/languages/css.js";
import diff from "@speed-highlight/core/languages/diff.js";
import docker from "@speed-highlight/core/languages/docker.js";
import go from "@speed-highlight/core/languages/go.js";
import html from "@speed-highlight/core/languages/html.js";
import ini from "@speed-highlight/core/languages/ini.js";
import java from "@speed-highlight/core/languages/java.js";
import js from "@speed-highlight/core/languages/js.js";
import jsdoc from "@speed-highlight/core/languages/jsdoc.js";
import json from "@speed-highlight/core/languages/json.js";
import lua from "@speed-highlight/core/languages/lua.js";
import make from "@speed-highlight/core/languages/make.js";
import py from "@speed-highlight/core/languages/py.js";
import regex from "@speed-highlight/core/languages/regex.js";
import rs from "@speed-highlight/core/languages/rs.js";
import sql from "@speed-highlight/core/languages/sql.js";
import todo from "@speed-highlight/core/languages/todo.js";
import toml from "@speed-highlight/core/languages/toml.js";
import ts from "@speed-highlight/core/languages/ts.js";
import xml from "@speed-highlight/core/languages/xml.js";
import yaml from "@speed-highlight/core/languages/yaml.js";
import type { ShjLanguageData } from "@speed-highlight/core/tokenize";

const shown = {
  bash,
  c,
  css,
  diff,
  docker,
  go,
  html,
  ini,
  java,
  js,
  json,
  lua,
  make,
  py,
  rs,
  sql,
  toml,
  ts,
  xml,
  yaml,
};

/** The languages by name, including those embedded in others. Their declarations give optional fields the value `undefined`. */
export const languages = { ...shown, jsdoc, regex, todo } as unknown as Record<
  string,
  ShjLanguageData
>;

const otherNames: Readonly<Record<string, keyof typeof shown>> = {
  "c++": "c",
  console: "bash",
  cpp: "c",
  cts: "ts",
  dockerfile: "docker",
  golang: "go",
  h: "c",
  javascript: "js",
  json5: "json",
  jsonc: "json",
  jsx: "js",
  kotlin: "java",
  makefile: "make",
  mjs: "js",
  mts: "ts",
  patch: "diff",
  python: "py",
  rust: "rs",
  sh: "bash",
  shell: "bash",
  svg: "xml",
  tsx: "ts",
  typescript: "ts",
  yml: "yaml",
  zsh: "bash",
};

/** Returns the name of the language that a code block names; `undefined` for an unknown one. */
export function findLanguage(written = ""): string | undefined {
  const name = /^[\w+#-]+/.exec(written.toLowerCase())?.[0] ?? "";
  if (Object.hasOwn(shown, name)) return name;
  return Object.hasOwn(otherNames, name) ? otherNames[name] : undefined;
}
