export { ParseError, parseTOML } from "toml-eslint-parser";
