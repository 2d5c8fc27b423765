export { parseAllDocuments, stringify } from "yaml";
