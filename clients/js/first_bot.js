import { Client } from "./gamehost.js";

const client = new Client("ann");
const result = await client.play("onitama", (view, legal) => legal[0].action, { house: "easy" });
console.log(result.winners.includes(result.seat) ? "won:" : "lost:", result.why);
client.close();
