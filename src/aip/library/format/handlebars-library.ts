export { default as handlebars } from "handlebars";
