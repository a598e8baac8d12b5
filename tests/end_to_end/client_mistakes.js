// What a bot's author is told of each mistake, and of somebody else with the key: node client_mistakes.js LIBRARY PORT WRONG, where a host is at PORT, and another
// protocol is spoken at WRONG.

const [library, port, wrong] = process.argv.slice(2);
const { Client } = await import(library);

async function said(at, game, choose, opponents) {
  const client = new Client("ann", { port: Number(at), log: () => {} });
  await client.play(game, choose, opponents).then(() => console.log("played"), (error) => console.log(error.message));
  client.close();
}

const first = (view, legal) => legal[0].action;
await said(port, "onitma", first, {});
await said(port, "onitama", first, { house: "nobody" });
await said(port, "onitama", () => "ox z9", { house: "random", seat: "first" });
await said(port, "onitama", () => null, { house: "random", seat: "first" });
await said(wrong, "onitama", first, {});

// Somebody else with the key has the seat.
const whom = { house: "random", seat: "first" };
let displaced = "";
const eve = new Client("eve", { port: Number(port) });
const told = new Promise((resolve) => {
  const again = async (view) => {
    const other = new Client("eve", { port: Number(port), key: eve.key });
    const { table } = await other.play("onitama", first);
    other.close();
    resolve(table === view.table ? "the same table" : "another table");
    return "";
  };
  eve.play("onitama", again, whom).catch((error) => (displaced = error.message));
});
console.log(await told);
console.log(displaced);
eve.close();

try {
  new Client("ann").say({ do: "leave" });
} catch (error) {
  console.log(error.message);
}
