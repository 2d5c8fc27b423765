export { decodeHTMLStrict } from "entities";
