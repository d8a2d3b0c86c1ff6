// Loaded into every process of an instance: writes the port of each connection that it opens to the file that the query
// of its address names.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';

const path = new URL(import.meta.url).searchParams.get('log') ?? '';
subscribe('net.client.socket', (message) => {
  const { socket } = /** @type {{ socket: import('node:net').Socket }} */ (message);
  socket.once('connectionAttempt', (_address, port) => appendFileSync(path, `${port}\n`));
});
