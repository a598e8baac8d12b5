// What a client makes of a host that lies: node client_lies.js LIBRARY PORT CASES. One line for each case: its number, and how it ended.

const [library, port, cases] = process.argv.slice(2);
const { Client, HostError } = await import(library);

for (let number = 0; number < Number(cases); number += 1) {
  const client = new Client(`c${number}`, { port: Number(port), log: () => {} });
  const ended = await client.play("onitama", (view, legal) => legal[0].action).then(() => "played", (error) => (error instanceof HostError ? "refused " : "broken ") + error.message);
  client.close();
  console.log(`${number} ${ended}`);
}
