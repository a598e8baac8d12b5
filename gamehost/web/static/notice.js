export { notice } from "./dom.js";
