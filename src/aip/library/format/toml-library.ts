export { parse, stringify } from "smol-toml";
